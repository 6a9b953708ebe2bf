import { BadInput } from '../../../errors/classes.ts';
import type { CsvOptions } from '../../../pipelines/source-spec.ts';
import { identifier } from '../../../text/sql.ts';
import type { TextHint } from '../../preview.ts';
import type { Engine } from '../engine.ts';
import { isIn, type IdColumns } from '../../id-columns.ts';
import { refuseUnfit, saidTypes } from './said-types.ts';
import { dateLike, idTypes, otherDates, plainTypes, saidFormats, type Candidate } from './text-candidates.ts';
import { hintOf } from './text-hints.ts';

/** How the texts of a column are read. `format`: of its dates or times, where it is not ISO 8601. */
export type TextType = { name: string; sql: string; format?: string };

/** Questions of one query: each takes memory of its own, whatever there is to count. */
const atOnce = 100;

/** Rows that are looked at before all of them: what these contradict need not be asked of the others. */
const firstRows = 2_048;

type Wanted = Map<string, readonly Candidate[]>;

/** How the texts of a table are read; `ids`: of these columns each value is an id. */
export type TextReading = { options?: CsvOptions; candidates?: readonly Candidate[]; ids?: IdColumns };

type Counted = { texts: number; fits: number[] };

/** How many texts the columns have in some rows, and how many of them fit each candidate. */
async function count(engine: Engine, wanted: Wanted, from: string): Promise<Map<string, Counted>> {
  const left = [...wanted];
  const found = new Map<string, Counted>();
  while (left.length > 0) {
    let [columns, asked] = [0, 0];
    while (columns < left.length && asked < atOnce) asked += 1 + left[columns++]![1].length;
    const part = left.splice(0, columns);
    const items = part.flatMap(([name, candidates]) => {
      const text = identifier(name);
      return [`count(${text})`, ...candidates.map(({ fits }) => `count(*) filter (where ${fits(text)})`)];
    });
    const values = (await engine.connection.runAndReadAll(`select ${items.join(', ')} from ${from}`)).getRows()[0]!.map(Number);
    let at = 0;
    for (const [name, { length }] of part) found.set(name, { texts: values[at++]!, fits: values.slice(at, (at += length)) });
  }
  return found;
}

/**
 * What the columns of a table of texts hold: a column is read as something else only where every text of it can be, over
 * all rows, so that no value becomes null. Dates of which no value shows whether day or month comes first stay text, with a hint.
 * A column whose type is said has that type, or the table is refused; of a column of ids every text stays what it is.
 */
export async function textTypes(
  engine: Engine,
  relation: string,
  columns: readonly string[],
  { options = {}, candidates = plainTypes(options), ids = [] }: TextReading,
): Promise<{ types: TextType[]; hints: TextHint[] }> {
  const formats = saidFormats(options);
  const said = saidTypes(columns, options);
  /** Candidates that fit all texts of the rows; of a column without a text there, those that `blank` gives. */
  const kept = async (
    wanted: Wanted,
    from: string,
    blank: (name: string, all: readonly Candidate[]) => readonly Candidate[],
  ): Promise<Wanted> => {
    const found = await count(engine, wanted, from);
    return new Map(
      [...wanted].map(([name, all]) => {
        const { texts, fits } = found.get(name)!;
        return [name, texts === 0 ? blank(name, all) : all.filter((_, at) => fits[at] === texts)];
      }),
    );
  };
  const some = `(select * from ${relation} limit ${firstRows})`;
  const plain = (name: string): readonly Candidate[] => [...formats, ...(isIn(ids, name) ? idTypes(candidates) : candidates)];
  const all = new Map(columns.map((name) => [name, said.get(name) ?? plain(name)]));
  const sampled = await kept(all, some, (_, candidates) => candidates);
  const open = new Map([...sampled].filter(([, { length }]) => length > 0));
  // A column without a text is what it is said to be, and else text.
  const sure = await kept(open, relation, (name, candidates) => (said.has(name) ? candidates.slice(0, 1) : []));
  for (const [name, wanted] of said) await refuseUnfit(engine, relation, { name, wanted, fit: sure.get(name) ?? [], options });
  const dates = new Map([...sure].filter(([, [first]]) => first === dateLike).map(([name]) => [name, otherDates]));
  const dateFormats = await kept(dates, relation, () => []);
  const hints: TextHint[] = [];
  const types: TextType[] = [];
  for (const name of columns) {
    const text = identifier(name);
    const fit = dateFormats.get(name) ?? sure.get(name) ?? [];
    const message = await hintOf(engine, relation, { name, fit, isDate: dateFormats.has(name) });
    if (message !== undefined) hints.push({ column: name, message });
    const [first] = message === undefined ? fit : [];
    types.push({
      name,
      sql: first && first.type !== 'VARCHAR' ? first.sql(text) : text,
      ...(first?.format === undefined ? {} : { format: first.format }),
    });
  }
  for (const candidate of formats)
    if (!types.some(({ format }) => format === candidate.format))
      throw new BadInput('bad_input', `csv: the format '${candidate.format}' fits all values of no column`);
  return { types, hints };
}
