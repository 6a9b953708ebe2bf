import type { CsvOptions } from '../../../../pipelines/source-spec.ts';
import type { Engine } from '../../engine.ts';
import { identifier } from '../../../../text/sql.ts';
import { withFileColumn } from '../../file-column.ts';
import { readTexts, type SniffedCsv } from './dialect.ts';
import { textTypes, type TextType } from '../texts.ts';
import type { IdColumns } from '../../../id-columns.ts';
import type { TextHint } from '../../../preview.ts';

const sameDialect = (a: SniffedCsv, b: SniffedCsv): boolean =>
  JSON.stringify([a.dialect, a.names]) === JSON.stringify([b.dialect, b.names]);

/** SQL that reads CSV files one after the other, each in its own dialect, every column as its text. */
function textRelation(sniffed: readonly SniffedCsv[], fileColumn: string | undefined): string {
  const groups: SniffedCsv[][] = [];
  for (const file of sniffed) {
    const last = groups.at(-1);
    if (last && sameDialect(last[0]!, file)) last.push(file);
    else groups.push([file]);
  }
  const names = [...sniffed[0]!.names, ...(fileColumn === undefined ? [] : [fileColumn])].map(identifier).join(', ');
  const read = (group: readonly SniffedCsv[]): string =>
    withFileColumn(
      readTexts(group),
      group.map(({ file }) => file),
      fileColumn,
    );
  return `(${groups.map((group) => `select ${names} from ${read(group)}`).join(' union all ')})`;
}

/** SQL that reads CSV files as one table, with the types that the texts of all of them allow. */
export async function csvRelation(
  sniffed: readonly SniffedCsv[],
  options: CsvOptions,
  engine: Engine,
  { fileColumn, ids }: { fileColumn: string | undefined; ids: IdColumns },
): Promise<{ relation: string; texts: string; types: TextType[]; hints: TextHint[] }> {
  const texts = textRelation(sniffed, fileColumn);
  const { types, hints } = await textTypes(engine, texts, sniffed[0]!.names, { options, ids });
  const items = types.map(({ name, sql }) => `${sql} as ${identifier(name)}`);
  if (fileColumn !== undefined) items.push(identifier(fileColumn));
  return {
    relation: `(select ${items.join(', ')} from ${texts})`,
    texts,
    types,
    hints,
  };
}
