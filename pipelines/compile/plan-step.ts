import { serviceOf, type Service } from '../../contracts/index.ts';
import { milliseconds } from '../../text/duration.ts';
import type { Json } from '../../text/json.ts';
import { toThreshold } from '../file/schema.ts';
import type { PlanStep } from '../plan.ts';
import type { StepOrLoop } from '../step.ts';
import { chunksOf, rowsLoop } from '../steps/rows-loop.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { withResolved } from './plan-sources.ts';

/** The services whose operations a step lists: it has a connection to these and to no other. */
export const servicesOf = ({ operations }: StepOrLoop): Service[] => [...new Set(operations.map(serviceOf))];

/** A step as the plan has it. `connection`: of each service that it calls. */
export function toPlanStep(
  { id, file, definition, with: input, when, needs, accepts, onError, loop, in: within, on, final, undoes }: AnalysedStep,
  connection: string | undefined,
  baseDir: string,
): PlanStep {
  const services = servicesOf(definition);
  const window = loop ? loopWindow(definition, loop) : (file.window ?? definition.window);
  return {
    id,
    use: definition.name,
    ...(definition.version === undefined ? {} : { version: definition.version }),
    kind: definition.kind,
    needs,
    ...(Object.keys(accepts).length === 0 ? {} : { accepts }),
    ...(when === undefined || when === true ? {} : { when }),
    ...(onError === undefined ? {} : { onError }),
    with: withResolved(input, definition, baseDir),
    connections: connection === undefined ? {} : Object.fromEntries(services.map((service) => [service, connection])),
    timeouts: file.timeout === undefined ? { ...definition.timeouts } : limited(definition.timeouts, milliseconds(file.timeout)),
    ...(file.tolerate === undefined
      ? {}
      : { tolerate: Object.fromEntries(Object.entries(file.tolerate).map(([status, value]) => [status, toThreshold(value)])) }),
    ...(window === undefined ? {} : { window }),
    ...(definition.goesOn ? { goesOn: true as const } : {}),
    ...(loop === undefined
      ? {}
      : {
          each: {
            as: loop.as,
            outputs: loop.outputs as { [name: string]: Json },
            ...(definition.name === rowsLoop.name ? { atOnce: chunksOf(loop.parallel).atOnce } : {}),
          },
        }),
    ...(within === undefined ? {} : { in: within }),
    ...(on === undefined ? {} : { on }),
    ...(final && within === undefined ? { finally: true as const } : {}),
    ...(undoes !== undefined && within === undefined ? { undoes } : {}),
  };
}

/** Turns at a time; of a loop over rows chunks of them. */
const loopWindow = ({ name }: StepOrLoop, { parallel }: NonNullable<AnalysedStep['loop']>): number | undefined =>
  name === rowsLoop.name ? chunksOf(parallel).window : parallel;

const limited = ({ attemptMs, pollMs }: PlanStep['timeouts'], longest: number): PlanStep['timeouts'] => ({
  attemptMs: Math.min(attemptMs, longest),
  deadlineMs: longest,
  ...(pollMs === undefined ? {} : { pollMs: longest }),
});
