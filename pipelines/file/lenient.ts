import type { z } from 'zod';
import { param, pipelineFile, step as stepSchema, type PipelineFile } from './schema.ts';
import type { Json } from '../../text/json.ts';

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
  const looseStep = (entry: unknown): z.output<typeof stepSchema> | undefined => {
    const strict = stepSchema.safeParse(entry);
    if (strict.success) return strict.data;
    const { use, with: input, needs } = (entry ?? {}) as Record<string, unknown>;
    return stepSchema.safeParse({
      use: typeof use === 'string' ? use : undefined,
      ...(input !== null && typeof input === 'object' && !Array.isArray(input) ? { with: input } : {}),
      ...(Array.isArray(needs) && needs.every((need) => typeof need === 'string') ? { needs } : {}),
    }).data;
  };
  return {
    name: typeof given['name'] === 'string' ? given['name'] : '',
    params: pick(given['params'], (entry) => param.safeParse(entry).data),
    steps: pick(given['steps'], looseStep),
    outputs: pick(given['outputs'], (entry) => entry ?? null),
    ...(typeof given['concurrency'] === 'string' ? { concurrency: given['concurrency'] } : {}),
  };
}
