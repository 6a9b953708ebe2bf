import type { AnalysedStep } from './analysed-step.ts';
import { datasetOf, namedAt, outside, textOf, type ById, type Named } from './named-in.ts';
import { isPipeline } from './sub-pipelines.ts';

/** Datasets that a step writes and reads, what else it changes, and keys that runs beneath it may hold: each by what names it. */
export type Uses = { writes: Set<string>; reads: Set<string>; holds: Set<string> };

type Raw = Named & { as: keyof Uses };

function rawUses(step: AnalysedStep, byId: ById, connection: string | undefined): Raw[] {
  const { definition } = step;
  const given = step.with as { [field: string]: unknown };
  if (!isPipeline(definition)) {
    const { dataset, changes } = definition;
    const value = dataset && given[dataset.field];
    const changed = Object.entries(changes ?? {}).map(([part, fields]) => [part, fields.map((field) => given[field]).find(Boolean)]);
    return [
      ...(value === undefined ? [] : [{ as: dataset!.as, ...namedAt(datasetOf(value, byId), step, byId, connection) }]),
      ...(changes ? [{ as: 'writes' as const, ...namedAt(Object.fromEntries(changed), step, byId, connection) }] : []),
    ];
  }
  const { analysis } = definition.pipeline;
  if (!analysis) return [];
  const own = analysis.connection ?? connection;
  const inside = new Map(analysis.steps.map((each) => [each.id, each]));
  const { concurrency } = analysis;
  const datasets = analysis.steps.flatMap(({ definition: { concurrency: finds }, with: input }) =>
    finds ? [{ slug: (input as { slug?: unknown }).slug }] : [],
  );
  const keys: unknown[] = concurrency === null ? [] : concurrency.key === undefined ? datasets : [{ key: concurrency.key }];
  const all: Raw[] = [
    ...analysis.steps.flatMap((each) => rawUses(each, inside, own)),
    ...keys.map((of): Raw => ({ as: 'holds', of, connection: own })),
  ];
  return outside(all, { ...step, definition }, byId);
}

/**
 * What a step uses; of one that runs a pipeline what the steps of that use, and the keys that its run, and runs beneath that, may hold.
 * `byId`: all steps of its file; `connection`: the file's, where it names one.
 */
export function usesOf(step: AnalysedStep, byId: ById, connection: string | undefined): Uses {
  const raw = rawUses(step, byId, connection);
  const of = (as: keyof Uses): Set<string> => new Set(raw.filter((each) => each.as === as).map(textOf));
  return { writes: of('writes'), reads: of('reads'), holds: of('holds') };
}
