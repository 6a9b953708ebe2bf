import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { StepContext } from './context.ts';
import { lastingName } from './lasting-name.ts';
import { sourcePlace } from './source-place.ts';

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
  return { pipeline: context.run.pipeline, step, source: step.includes('[]') ? sourcePlace(context, source) : '' };
}
