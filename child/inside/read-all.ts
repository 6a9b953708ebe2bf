import { BadInput } from '../../errors/classes.ts';
import { judged } from './duck-error.ts';
import type { Source } from './source.ts';
import { identifier } from '../../text/sql.ts';

/** Columns read at once. */
const batch = 200;

/** SQL of a number that no engine can give without reading every value of these columns. */
const everyValue = (names: readonly string[]): string => `bit_xor(hash(${names.map(identifier).join(', ')}))`;

/**
 * Reads every value of a source, and returns its rows: what cannot be read is a verdict now, not when rows are sent. Where some
 * columns can be read and others not, these are named.
 */
export async function readAll({ name, engine, columns, relation }: Source): Promise<number> {
  const names = columns.map((column) => column.name);
  const read = async (some: readonly string[]): Promise<number> => {
    const [row] = await judged(name, () => engine.rows(`select count(*)::double as n, ${everyValue(some)} as read from ${relation}`));
    return Number(row!['n']);
  };
  try {
    let rows = 0;
    for (let at = 0; at < names.length; at += batch) rows = await read(names.slice(at, at + batch));
    return rows;
  } catch (error) {
    if (!(error instanceof BadInput) || error.verdict !== 'bad_input' || names.length > batch) throw error;
    const bad: string[] = [];
    for (const each of names) {
      const readable = await read([each]).then(
        () => true,
        (other: unknown) => {
          if (!(other instanceof BadInput)) throw other;
          return false;
        },
      );
      if (!readable) bad.push(each);
    }
    if (bad.length === 0 || bad.length === names.length) throw error;
    const left = `{ sql: select * exclude (${bad.map(identifier).join(', ')}) from t, tables: { t: … } }`;
    throw new BadInput('bad_input', `${error.message}; the other columns can be read: leave ${bad.join(', ')} out with source: ${left}`);
  }
}
