import { identifier } from '../../../text/sql.ts';
import type { TextHint } from '../../preview.ts';
import type { Engine } from '../engine.ts';
import { stableText } from '../rows/column-types.ts';
import type { SourceColumn } from '../source-column.ts';
import type { TextType } from './texts.ts';

/** Columns counted in one query. */
const atOnce = 50;

/** The SQL of a column that is read as a number, over the relation of its texts. */
type NumberColumn = SourceColumn & Pick<TextType, 'sql'>;

/**
 * Columns of which several texts are one number, as the versions `1.1` and `1.10`: who reads numbers sees that two values have
 * become one, and whose values are none learns what to say. `relation` holds the texts.
 */
export async function sameNumbers(engine: Engine, relation: string, columns: readonly NumberColumn[]): Promise<TextHint[]> {
  const hints: TextHint[] = [];
  for (const { name, sql } of await notWrittenAlike(engine, relation, columns)) {
    const [pair] = await engine.rows(
      `select min(written) as first, max(written) as second from (select distinct ${identifier(name)} as written, ${sql} as number from ${relation} where ${identifier(name)} is not null)
       group by number having count(*) > 1 order by number limit 1`,
    );
    if (!pair) continue;
    const [first, second] = [pair['first'], pair['second']].map((text) => JSON.stringify(text));
    hints.push({
      column: name,
      message: `${first} and ${second} are read as one number; where they are two values, say csv: { types: { ${JSON.stringify(name)}: VARCHAR } }`,
    });
  }
  return hints;
}

/** Of the others no two texts can be one number. */
async function notWrittenAlike(engine: Engine, relation: string, columns: readonly NumberColumn[]): Promise<NumberColumn[]> {
  const found: NumberColumn[] = [];
  for (let at = 0; at < columns.length; at += atOnce) {
    const part = columns.slice(at, at + atOnce);
    const items = part.map(({ name, sql, type }) => `count(*) filter (where ${stableText(sql, type)} <> ${identifier(name)})`);
    const counts = (await engine.connection.runAndReadAll(`select ${items.join(', ')} from ${relation}`)).getRows()[0]!;
    found.push(...part.filter((_, place) => Number(counts[place]) > 0));
  }
  return found;
}
