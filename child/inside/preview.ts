import { sourceName } from '../../pipelines/source-name.ts';
import { columnFacts } from './rows/column-facts.ts';
import type { Preview } from '../preview.ts';
import { judged } from './duck-error.ts';
import type { ChildContext, Methods } from '../protocol.ts';
import { readSource } from './source.ts';
import { identifier } from '../../text/sql.ts';

const namesShown = 20;
const longestValue = 200;

/** Ways to read a file that are the same but for the file, each once. */
function grouped<T extends { file: string }>(all: readonly T[]): (Omit<T, 'file'> & { files: string[] })[] {
  const groups = Map.groupBy(all, (way) => JSON.stringify({ ...way, file: '' }));
  return [...groups.values()].map((members) => {
    const { file: _file, ...way } = members[0]!;
    return { ...way, files: members.map(({ file }) => file) };
  });
}

/** What a table holds, what the type rules of a dataset do to each column, and its first rows. */
export const preview = ({ source: spec, rows: wanted }: Methods['preview']['input'], context: ChildContext): Promise<Preview> =>
  readSource(spec, context, async (source) => {
    const { rows, refusedRows, columns } = await columnFacts(source);
    const texts = source.columns.map(({ name }) => `left(${identifier(name)}::varchar, ${longestValue})`);
    const sample = await judged(source.name, () =>
      source.engine.connection.runAndReadAll(`select ${texts.join(', ')} from ${source.relation} limit ${wanted}`),
    );
    const numbers = await judged(source.name, async () => {
      const hints = [];
      for (const { lookAtNumbers } of source.tables) hints.push(...((await lookAtNumbers?.()) ?? []));
      return hints;
    });
    return {
      source: sourceName(spec),
      tables: source.tables.map(({ table, type, files }) => ({
        table,
        type,
        files: files.length,
        names: files.slice(0, namesShown).map(({ name }) => name),
      })),
      rows,
      bytes: source.bytes,
      dialects: grouped(source.tables.flatMap(({ csv }) => csv?.dialects ?? [])),
      formats: source.tables.flatMap(({ csv }) => csv?.formats ?? []).map(({ name, format = '' }) => ({ column: name, format })),
      sheets: grouped(source.tables.flatMap(({ sheets }) => sheets ?? [])),
      hints: [...source.tables.flatMap(({ hints }) => hints ?? []), ...numbers],
      columns,
      refusedRows,
      sample: sample.getRows() as (string | null)[][],
    };
  });
