import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceFacts } from '../../pipelines/source-spec.ts';
import type { ChildContext, Methods } from '../protocol.ts';
import { readAll } from './read-all.ts';
import { readSource } from './source.ts';
import { BadInput } from '../../errors/classes.ts';

/** Size, sha256 and columns of a source; one without rows is a verdict, unless it may have none. */
export const inspect = ({ source: spec, mayBeEmpty }: Methods['inspect']['input'], context: ChildContext): Promise<SourceFacts> =>
  readSource(spec, context, async (source) => {
    const rows = await readAll(source);
    if (rows === 0 && !mayBeEmpty) throw new BadInput('bad_input', `${source.name}: has no rows`);
    return { path: sourceName(spec), rows, bytes: source.bytes, sha256: await source.sha256(), columns: source.columns };
  });
