import type { Engine } from '../../engine.ts';
import type { IdColumns } from '../../../id-columns.ts';
import type { SourceColumn } from '../../source-column.ts';
import { identifier, literal } from '../../../../text/sql.ts';
import { isoTimes } from '../text-candidates.ts';
import { textTypes } from '../texts.ts';

/** Types that DuckDB makes of texts. They are read as the texts that they are: a UUID would change its letters. */
const ofTexts = /"(?:[^"]|"")*"|\b(UUID|DATE|TIMESTAMP|TIME)\b(?=$|[,)[])/g;

const asTexts = (type: string): string => type.replace(ofTexts, (all, made: string | undefined) => (made ? 'VARCHAR' : all));

// The whole of the files decides the types: a sample would make them depend on the order of rows. Records with many names
// are records all the same.
const whole =
  "records = true, compression = 'uncompressed', sample_size = -1, map_inference_threshold = -1, field_appearance_threshold = 0";

const read = (links: readonly string[], options: string): string => `read_json([${links.map(literal).join(', ')}], ${options})`;

/** SQL that detects the types of JSON files by itself. */
export const detectJson = (links: readonly string[]): string => read(links, `${whole}${links.length > 1 ? ', union_by_name = true' : ''}`);

/** SQL that reads JSON files whose types were detected: dates and times where every text is one, long whole numbers to the last digit. */
export async function jsonRelation(
  links: readonly string[],
  detected: readonly SourceColumn[],
  engine: Engine,
  /** `widened`: what else is read beside the columns. */
  { widened, ids }: { widened: (reader: string) => string; ids: IdColumns },
): Promise<string> {
  const plain = (types: ReadonlyMap<string, string>): string =>
    read(
      links,
      `records = true, compression = 'uncompressed', columns = {${[...types].map(([name, type]) => `${literal(name)}: ${literal(type)}`).join(', ')}}`,
    );
  const types = new Map(detected.map(({ name, type }) => [name, asTexts(type)]));
  const floats = detected.filter(({ type }) => type === 'DOUBLE').map(({ name }) => name);
  if (floats.length > 0) {
    const texts = plain(new Map(floats.map((name) => [name, 'VARCHAR'])));
    const long = floats.map((name) => `coalesce(bool_or(regexp_full_match(${identifier(name)}, '-?[0-9]{16,}')), false)`);
    const [seen] = (await engine.connection.runAndReadAll(`select ${long.join(', ')} from ${texts}`)).getRows();
    floats.forEach((name, at) => seen![at] === true && types.set(name, 'VARCHAR'));
  }
  const times = detected.filter(({ type }) => /^(DATE|TIMESTAMP)$/.test(type)).map(({ name }) => name);
  const relation = widened(plain(types));
  if (times.length === 0) return relation;
  const made = new Map((await textTypes(engine, relation, times, { candidates: isoTimes, ids })).types.map(({ name, sql }) => [name, sql]));
  const items = [...made].map(([name, sql]) => `${sql} as ${identifier(name)}`);
  return `(select * replace (${items.join(', ')}) from ${relation})`;
}
