import { dirname, isAbsolute, relative } from 'node:path';
import { BadInput } from '../../errors/classes.ts';
import { isRemote, pathOf, tablesOf } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { MarkOwner } from '../../store/marks.ts';
import type { StepContext } from '../frame/context.ts';

/**
 * Fails where a list is known by a source that a run has made: it has another place in every run, whose mirror would find no list, and leave
 * every row there that is gone.
 */
export function refuseFleeting({ step, store }: Pick<StepContext, 'step' | 'store'>, owner: MarkOwner, source: SourceSpec): void {
  if (owner.source === '') return;
  const root = dirname(store.path());
  const made = tablesOf(source).flatMap(([, file]) => (isRemote(file) ? [] : [relative(root, pathOf(file))]));
  const first = made.find((path) => !path.startsWith('..') && !isAbsolute(path));
  if (first === undefined) return;
  throw new BadInput(
    'bad_input',
    `${step} mirrors ${first}, which a run has made: a turn over objects is known by its source, and the next run would find nothing of what this one has put there, and leave what is gone. Go over texts, which are known by themselves (in a loop in a loop for several). Nothing was sent`,
  );
}
