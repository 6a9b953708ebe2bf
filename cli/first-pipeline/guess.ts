import { longestId } from '../../contracts/maps/unique-id.ts';
import { fewestRows } from '../../contracts/maps/map-size.ts';
import { identifier } from '../../text/sql.ts';
import { number } from '../../text/units.ts';
import { columnChoices, type ColumnChoice } from '../render/column-choice.ts';
import type { TableFacts, ValueFacts } from './facts.ts';

/** What a first pipeline makes of a table. Every part has a reason, in words for the user. */
export type Guess = {
  id: { column?: string; because: string };
  /** Dataset column that is embedded; without one there is no map. */
  embed: { column?: string; because: string };
  /** Dataset column → source column or expression. */
  columns: { name: string; from: string; isSql: boolean; because?: string }[];
  leftOut: { name: string; because: string }[];
  /** Share of rows, in percent, that are refused for a value whatever is chosen. */
  rejected: number;
};

const idName =
  /^(id|ids|key|uuid|guid|code|slug|sku|isbn|ean|doi|nr|no)$|[_\- .](id|key|uuid|guid|code|nr|no)$|[a-z](Id|ID|Key)$|^(id|uuid)[_\- .]/i;
const titleName = /(^|[_\- .])(title|name|headline|subject|label|word|product|heading|titulo|nombre|titel|nom)$/i;

/** Below this share of different values a column of texts names kinds of things. */
const leastDistinct = 0.3;

/** Dates, numbers with units and addresses have fewer letters. */
const leastLetters = 0.5;

function guessId({ found, values }: TableFacts): Guess['id'] {
  const unique = found.columns.filter(({ name, nulls }) => {
    const facts = values.get(name);
    return facts !== undefined && nulls === 0 && facts.distinct === found.rows && facts.longest > 0 && facts.longest <= longestId;
  });
  const named = unique.find(({ name }) => idName.test(name)) ?? unique.find(({ name }) => name === found.columns[0]?.name);
  if (named) return { column: named.name, because: `differs in each of the ${number(found.rows)} rows` };
  return {
    because:
      unique.length === 0
        ? 'no column differs in every row: a row is known by a hash of its content'
        : `no column is surely a key (${unique.map(({ name }) => name).join(', ')} differ in every row): a row is known by a hash of its content`,
  };
}

type Text = { name: string; facts: ValueFacts };

/** Columns whose values are worth embedding: prose first, then titles. */
function guessTexts({ found, values }: TableFacts, id: string | undefined): Text[] {
  const texts = found.columns.flatMap(({ name, as, type }): Text[] => {
    const facts = values.get(name);
    return facts && as === 'string' && type === 'VARCHAR' && name !== id ? [{ name, facts }] : [];
  });
  const varied = texts.filter(
    ({ facts }) =>
      facts.distinct >= found.rows * leastDistinct && facts.addresses < found.rows / 2 && facts.letters >= facts.length * leastLetters,
  );
  const longest = (some: readonly Text[]): Text | undefined =>
    some.reduce<Text | undefined>((best, each) => (best && best.facts.length >= each.facts.length ? best : each), undefined);
  const prose = longest(varied.filter(({ facts }) => facts.blanks >= 2));
  const title = varied.find(({ name, facts }) => titleName.test(name) && facts.length <= 100 && name !== prose?.name);
  const only = prose ?? title ?? longest(varied.filter(({ facts }) => facts.blanks >= 0.5));
  return [...(title && title !== only ? [title] : []), ...(only ? [only] : [])];
}

/** A column of whole numbers that do not all fit keeps them as text. */
const asColumn = ({ name, from, column }: ColumnChoice): Guess['columns'][number] =>
  column.as === 'int32' && column.refused > 0
    ? { name, from: `${identifier(column.name)}::varchar`, isSql: true, because: 'some values do not fit int32' }
    : { name, from, isSql: column.as === null && from !== column.name };

/** What a dataset calls the id of a row: no other column has that name, however it is written. */
const ownId = 'id';

/** The columns, none of them with the name of the dataset's own id. */
function besideId(columns: Guess['columns']): Guess['columns'] {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let free = 'source_id';
  for (let at = 2; taken.has(free); at += 1) free = `source_id_${at}`;
  const because = `the dataset's own id is called ${ownId}`;
  return columns.map((column) =>
    column.name.toLowerCase() === ownId ? { ...column, name: free, because: column.because ?? because } : column,
  );
}

/** Id, text and columns of a first pipeline, as far as the table shows them. */
export function guess(facts: TableFacts): Guess {
  const { found } = facts;
  const id = guessId(facts);
  const choices = columnChoices(found.columns);
  const usable = choices.filter(({ column, from }) => column.as !== null || column.remedy !== undefined || from !== column.name);
  const columns = besideId(usable.filter(({ column }) => column.name !== id.column || !idName.test(column.name)).map(asColumn));
  const leftOut = choices.filter((choice) => !usable.includes(choice)).map(({ name, column }) => ({ name, because: column.problem ?? '' }));
  const kept = found.columns.filter(({ as, refused }) => as !== null && as !== 'int32' && refused > 0);
  const rejected = kept.length === 0 || found.rows === 0 ? 0 : Math.min(100, Math.ceil((found.refusedRows / found.rows) * 100));
  return { id, ...guessEmbedding(facts, id.column, columns), leftOut, rejected };
}

function guessEmbedding(facts: TableFacts, id: string | undefined, columns: Guess['columns']): Pick<Guess, 'embed' | 'columns'> {
  const { rows, columns: source } = facts.found;
  if (rows < fewestRows)
    return { embed: { because: `a map needs ${fewestRows} rows, and there are ${rows}: add a step index.build later` }, columns };
  const vectors = source.find(({ as }) => as === 'vector');
  if (vectors) return { embed: { column: nameOf(columns, vectors.name), because: 'the table brings its own vectors' }, columns };
  const texts = guessTexts(facts, id);
  const [first, second] = texts;
  if (!first) return { embed: { because: 'no column of texts looks worth embedding: add a step index.build where one is' }, columns };
  if (!second)
    return { embed: { column: nameOf(columns, first.name), because: 'the column of texts' }, columns: withColumn(columns, first.name) };
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const name = ['text', 'embedded_text', 'text_to_embed'].find((each) => !taken.has(each))!;
  const from = `concat_ws('. ', ${texts.map((text) => identifier(text.name)).join(', ')})`;
  const because = `${first.name} and ${second.name} together`;
  return { embed: { column: name, because }, columns: [...columns, { name, from, isSql: true, because }] };
}

/** What the dataset calls a column of the source. */
const nameOf = (columns: Guess['columns'], source: string): string =>
  columns.find(({ from, isSql }) => !isSql && from === source)?.name ?? source;

/** The embedded column is one of the dataset. */
const withColumn = (columns: Guess['columns'], source: string): Guess['columns'] =>
  columns.some(({ from, isSql }) => !isSql && from === source) ? columns : [...columns, { name: source, from: source, isSql: false }];
