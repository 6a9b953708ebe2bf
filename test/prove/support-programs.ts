import { createHash } from 'node:crypto';
import type { PlanStep } from '../../pipelines/plan.ts';
import type { Fate } from '../workflows/plain-evaluator.ts';

/** Tries that last until somebody mends what is wrong. */
const untilMended = { times: 100, everyMs: 1_000 };

/**
 * The same program for the real server: a step that fails until it is mended has further tries enough for that, any other fails whatever is
 * done. What the window and the items are stays as it was drawn.
 */
export const forServer = (steps: readonly PlanStep[]): PlanStep[] =>
  steps.map((step): PlanStep => {
    const { onError, ...rest } = step;
    if (step.kind === 'loop') return { ...rest, onError: { else: { does: 'tolerate' } } };
    if (onError === undefined) return rest;
    const does = onError.else?.does === 'steps' ? 'steps' : 'tolerate';
    return {
      ...rest,
      kind: 'call',
      onError: {
        ...(onError.else?.retry || onError.service?.retry || does === 'steps' ? { service: { does: 'tolerate', retry: untilMended } } : {}),
        else: { does, ...(onError.else?.retry ? { retry: { times: 1, everyMs: 1_000 } } : {}) },
      },
    };
  });

/** How a step of such a program fares: done, mended after its first failure, or failed; worked out by the step's own code too (`ownStep`). */
export const serverFate =
  (salt: number): Fate =>
  (path) => {
    const [byte] = createHash('sha1').update(`${salt}${path}`).digest();
    if (byte! < 40) return { failures: 1_000, type: 'Other' };
    return byte! < 90 ? { failures: 1, type: 'ServiceFailed' } : { failures: 0, type: '' };
  };

/** An own step that fares so. What mends it is a file. */
export const ownStep = (index: string, folder: string): string => `import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { defineStep, z } from ${JSON.stringify(index)};
export default defineStep({
  name: 'prove.fare',
  input: z.strictObject({ at: z.string(), salt: z.int() }),
  output: z.object({ at: z.string() }),
  effect: 'idempotent',
  run({ at, salt }) {
    const [byte] = createHash('sha1').update(salt + at).digest();
    const mended = existsSync(${JSON.stringify(folder)} + '/' + salt + encodeURIComponent(at));
    if (byte < 40 || (byte < 90 && !mended)) {
      const error = new Error(at + ' fails');
      error.name = byte < 40 ? 'Other' : 'ServiceFailed';
      throw error;
    }
    return { at };
  },
});
`;

type Written = { [name: string]: unknown };

/** A program as a pipeline file. */
export function fileOf(name: string, salt: number, steps: readonly PlanStep[]): Written {
  const block = (of: string | undefined, on: PlanStep['on'], path: string, final: boolean): Written =>
    Object.fromEntries(
      steps
        .filter((step) => step.in === of && step.on === on && (step.finally ?? false) === final)
        .map((step) => [step.id, written(step, path)]),
    );
  const written = (step: PlanStep, path: string): Written => {
    const { id, needs, accepts = {}, when, onError } = step;
    const common = {
      ...(step.finally ? {} : { needs: Object.fromEntries(needs.map((need) => [need, accepts[need] ?? ['done', 'tolerated']])) }),
      ...(when === undefined ? {} : { when }),
    };
    if (step.kind === 'loop') {
      const item = `${id}_at`;
      const items = (step.with as { items: unknown[] }).items.map((_, at) => at);
      return {
        forEach: { items, as: item, parallel: step.window },
        steps: block(id, undefined, `${path}${id}[\${{ ${item} }}].`, false),
        outputs: { at: `\${{ ${item} }}` },
        tolerate: { failed: '100%' },
        ...common,
      };
    }
    const reactions = Object.entries(onError ?? {}).map(([of, { does, retry }]) => {
      const tries = retry ? { retry: retry.times, every: `${retry.everyMs / 1_000}s` } : undefined;
      if (does === 'steps') return [of, { ...tries, steps: block(id, of as PlanStep['on'], `${path}${id}[${of}].`, false) }];
      return [of, tries ? { ...tries, then: does } : does];
    });
    return {
      use: 'prove.fare',
      with: { at: `${path}${id}`, salt },
      ...common,
      ...(onError ? { onError: Object.fromEntries(reactions) } : {}),
    };
  };
  return {
    name,
    params: { n: { type: 'integer', default: 2 } },
    steps: block(undefined, undefined, '', false),
    finally: block(undefined, undefined, '', true),
    outputs: { all: '${{ params.n }}' },
  };
}

/** How many steps a program carries out at most, turns and what is done about failures counted. */
export const sizeOf = (steps: readonly PlanStep[], of?: string): number =>
  steps
    .filter((step) => step.in === of)
    .reduce(
      (sum, { id, kind, with: input }) =>
        sum + 1 + sizeOf(steps, id) * (kind === 'loop' ? (input as { items: unknown[] }).items.length : 1),
      0,
    );
