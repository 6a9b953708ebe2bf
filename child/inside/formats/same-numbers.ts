import { identifier } from '../../../text/sql.ts';
import type { TextHint } from '../../preview.ts';
import type { Engine } from '../engine.ts';
import { stableText } from '../rows/column-types.ts';
import type { SourceColumn } from '../source-column.ts';
import type { TextType } from './texts.ts';

/** Rows that are looked at, and columns of one query: different values are held in memory. */
const mostRows = 10_000;
const atOnce = { written: 50, different: 10 };

/** A column that is read as a number: `sql` makes it of its text. */
type NumberColumn = SourceColumn & Pick<TextType, 'sql'>;

/**
 * Columns of which several texts are one number, as the versions `1.1` and `1.10`: whose values are no numbers learns what to say.
 * `relation` holds the texts; its first rows are looked at.
 */
export async function sameNumbers(engine: Engine, relation: string, columns: readonly NumberColumn[]): Promise<TextHint[]> {
  if (columns.length === 0) return [];
  // Read once: a file of many columns is taken apart anew for each query.
  await engine.run(
    `create or replace table own.first_texts as select ${columns.map(({ name }) => identifier(name)).join(', ')} from ${relation} limit ${mostRows}`,
  );
  const counted = async (of: readonly NumberColumn[], most: number, count: (column: NumberColumn) => string): Promise<NumberColumn[]> => {
    const found: NumberColumn[] = [];
    for (let at = 0; at < of.length; at += most) {
      const part = of.slice(at, at + most);
      const [counts] = (await engine.connection.runAndReadAll(`select ${part.map(count).join(', ')} from own.first_texts`)).getRows();
      found.push(...part.filter((_, place) => Number(counts![place]) > 0));
    }
    return found;
  };
  // Of the others no two texts can be one number.
  const otherwise = await counted(
    columns,
    atOnce.written,
    ({ name, sql, type }) => `count(*) filter (where ${stableText(sql, type)} <> ${identifier(name)})`,
  );
  const same = await counted(
    otherwise,
    atOnce.different,
    ({ name, sql }) => `count(distinct ${identifier(name)}) - count(distinct ${sql})`,
  );
  const hints: TextHint[] = [];
  for (const { name, sql } of same) {
    const [pair] = await engine.rows(
      `select min(written) as first, max(written) as second from (select distinct ${identifier(name)} as written, ${sql} as number from own.first_texts)
       where written is not null group by number having count(*) > 1 order by number limit 1`,
    );
    const [first, second] = [pair!['first'], pair!['second']].map((text) => JSON.stringify(text));
    hints.push({
      column: name,
      message: `${first} and ${second} are read as one number; where they are two values, say csv: { types: { ${JSON.stringify(name)}: VARCHAR } }`,
    });
  }
  return hints;
}
