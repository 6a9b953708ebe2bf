import { isKept } from '../pipelines/kept.ts';
import type { Json } from '../text/json.ts';
import { keptValue } from '../store/kept-values.ts';
import type { RunView } from '../workflows/messages.ts';

/** Values with their references read. One that cannot be read from here stays a reference. */
export const withValues = async (values: { [name: string]: Json }): Promise<{ [name: string]: Json }> =>
  Object.fromEntries(
    await Promise.all(Object.entries(values).map(async ([name, value]) => [name, await keptValue(value).catch(() => value)] as const)),
  );

/** Results of a run's steps that stand in the run store, by step. */
export const keptOutputs = ({ steps }: RunView): Promise<{ [step: string]: Json }> =>
  withValues(Object.fromEntries(steps.flatMap(({ id, output }) => (isKept(output) ? [[id, output] as const] : []))));
