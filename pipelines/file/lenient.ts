import {
  defaults,
  environment,
  param,
  pipelineFile,
  step as stepSchema,
  stepOrLoop,
  type FileLoop,
  type FileStep,
  type PipelineFile,
  forEach as forEachSchema,
} from './schema.ts';
import { concurrencyField } from './concurrency.ts';
import { schedule } from './schedule.ts';
import type { Json } from '../../text/json.ts';

/** The name of an item, also where what a loop goes over is wrong: expressions inside of it are right all the same. */
const named = (forEach: unknown): string | undefined => {
  const { as } = (forEach ?? {}) as { as?: unknown };
  return typeof as === 'string' ? as : undefined;
};

/** What expressions may read of a run that is due at a time does not hang on when it is due. */
const looseSchedule = (given: unknown): PipelineFile['schedule'] => {
  const strict = schedule.safeParse(given);
  const { window } = (given ?? {}) as { window?: unknown };
  return strict.success ? strict.data : schedule.parse({ every: '1h', ...(window === undefined ? {} : { window: 'day' }) });
};

/** The parts of a file that have the right shape, so that one wrong part does not hide what is wrong in the others. */
export function lenient(value: Json): PipelineFile {
  const whole = pipelineFile.safeParse(value);
  if (whole.success) return whole.data;
  const given: Record<string, unknown> = value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
  const pick = <T>(part: unknown, read: (entry: unknown) => T | undefined): Record<string, T> =>
    part === null || typeof part !== 'object' || Array.isArray(part)
      ? {}
      : Object.fromEntries(
          Object.entries(part).flatMap(([name, entry]) => {
            const good = read(entry);
            return good === undefined ? [] : [[name, good]];
          }),
        );
  const looseStep = (entry: unknown): FileStep | FileLoop | undefined => {
    const strict = stepOrLoop.safeParse(entry);
    if (strict.success) return strict.data;
    const { use, with: input, needs, forEach, steps } = (entry ?? {}) as Record<string, unknown>;
    const over = forEachSchema.safeParse(forEach);
    if (forEach !== undefined)
      return {
        forEach: over.success ? over.data : { items: [], as: named(forEach) ?? 'item' },
        steps: pick(steps, looseStep),
        outputs: pick((entry as Record<string, unknown>)['outputs'], (output) => output ?? null),
      };
    return stepSchema.safeParse({
      use: typeof use === 'string' ? use : undefined,
      ...(input !== null && typeof input === 'object' && !Array.isArray(input) ? { with: input } : {}),
      ...(Array.isArray(needs) && needs.every((need) => typeof need === 'string') ? { needs } : {}),
    }).data;
  };
  const presets = defaults.safeParse(given['defaults']);
  const held = concurrencyField.safeParse(given['concurrency']);
  return {
    name: typeof given['name'] === 'string' ? given['name'] : '',
    params: pick(given['params'], (entry) => param.safeParse(entry).data),
    environments: pick(given['environments'], (entry) => environment.safeParse(entry).data),
    ...(presets.success ? { defaults: presets.data } : {}),
    steps: pick(given['steps'], looseStep),
    finally: pick(given['finally'], looseStep),
    outputs: pick(given['outputs'], (entry) => entry ?? null),
    ...(given['schedule'] === undefined ? {} : { schedule: looseSchedule(given['schedule']) }),
    ...(held.success ? { concurrency: held.data } : {}),
  };
}
