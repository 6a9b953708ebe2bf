import { dirname } from 'node:path';
import { placeOfSource } from '../../pipelines/place-of-source.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { projectOf } from '../../store/marks.ts';
import type { StepContext } from './context.ts';
import { lastingName } from './lasting-name.ts';

/**
 * By whom rows are known that stay what they are where the source of a step moves: by its pipeline and step. In a loop each turn has its own: of
 * the item, for its number is another one where the list of the loop has another order; where items have fields, any of which may be another
 * one, of the source.
 */
export function ownerOfNoSource(
  context: Pick<StepContext, 'run' | 'byItem' | 'store'>,
  source: SourceSpec,
): { pipeline: string; step: string; source: string } {
  const step = lastingName(context).replaceAll(/\{\w+\}/g, '');
  const place = (): string => placeOfSource(source, projectOf(dirname(context.store.path())));
  return { pipeline: context.run.pipeline, step, source: step.includes('[]') ? place() : '' };
}
