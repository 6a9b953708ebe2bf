import type { AnalysedStep } from './analysed-step.ts';
import { isPipeline } from './sub-pipelines.ts';

/** A dataset that a step writes or reads, by what names it: two that name one alike use the same one. */
export type DatasetUse = { as: 'writes' | 'reads'; name: string };

/** The value itself, as one text: what is written differently and means the same is no difference. */
const nameOf = (value: unknown): string => JSON.stringify(value).replaceAll(/\s+/g, '');

/** `params.NAME` where that is all of a value. */
const param = /^\$\{\{\s*params\.(\w+)\s*\}\}$/;
/** `steps.ID.id` where that is all of a value. */
const idOfStep = /^\$\{\{\s*steps\.(\w+)\.id\s*\}\}$/;

/** What a value names as a dataset: by the slug of the step that finds or makes it, else as it is written. */
function named(value: unknown, byId: ReadonlyMap<string, AnalysedStep>): unknown {
  const finder = typeof value === 'string' ? byId.get(idOfStep.exec(value)?.[1] ?? '') : undefined;
  const slug = finder?.definition.concurrency ? (finder.with as { slug?: unknown }).slug : undefined;
  return slug === undefined ? value : { slug };
}

type Raw = { as: DatasetUse['as']; of: unknown };

function rawUses(step: AnalysedStep, byId: ReadonlyMap<string, AnalysedStep>): Raw[] {
  const { definition } = step;
  const given = step.with as { [field: string]: unknown };
  if (isPipeline(definition)) {
    const { steps = [], params = {} } = definition.pipeline.analysis ?? {};
    const inside = new Map(steps.map((each) => [each.id, each]));
    // A parameter is what the step gives for it; what only its own steps know is nobody else's.
    const outside = (value: unknown): unknown => {
      if (typeof value === 'object' && value !== null && 'slug' in value) {
        const slug = outside(value.slug);
        return slug === undefined ? undefined : { slug };
      }
      const name = typeof value === 'string' ? param.exec(value)?.[1] : undefined;
      if (name !== undefined) return named(given[name] ?? params[name], byId);
      return typeof value === 'string' && value.includes('${{') ? undefined : value;
    };
    return steps
      .flatMap((each) => rawUses(each, inside))
      .flatMap(({ as, of }) => (outside(of) === undefined ? [] : [{ as, of: outside(of) }]));
  }
  const { dataset } = definition;
  return dataset === undefined || given[dataset.field] === undefined ? [] : [{ as: dataset.as, of: named(given[dataset.field], byId) }];
}

/** The datasets that a step uses; of one that runs a pipeline those that the steps of that use. `byId`: all steps of its file. */
export const datasetUses = (step: AnalysedStep, byId: ReadonlyMap<string, AnalysedStep>): DatasetUse[] =>
  rawUses(step, byId).map(({ as, of }) => ({ as, name: nameOf(of) }));
