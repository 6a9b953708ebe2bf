import { dirname } from 'node:path';
import { placeOfSource } from '../../pipelines/place-of-source.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { projectOf } from '../../store/marks.ts';
import type { StepContext } from './context.ts';

/** Where a source stands, by a name that lasts from run to run. */
export const sourcePlace = ({ store }: Pick<StepContext, 'store'>, source: SourceSpec): string =>
  placeOfSource(source, projectOf(dirname(store.path())));
