import { Field, makeData, RecordBatch, Schema, Struct } from 'apache-arrow';
import { createArrowFile } from '../../arrow/writer.ts';
import { NotFetched } from '../../errors/classes.ts';
import type { QueryFile } from '../../pipelines/source-spec.ts';
import { milliseconds } from '../../text/duration.ts';
import { sameName } from '../../text/same-name.ts';
import { bytes as sized } from '../../text/units.ts';
import { carrierOf, insteadOf, type Carrier, type Described, type KnownType, type Text } from './columns.ts';
import type { Connection } from './connect.ts';
import type { Database } from './database.ts';
import { isFinal, refusalOf } from './failure.ts';
import { batchesOf } from './fetch.ts';

/** As ISO and UTC have them, and all digits: whatever the database, or the user's role, has set. */
const session = (timeoutMs: number): string => `
begin transaction isolation level repeatable read, read only;
set local statement_timeout = ${timeoutMs};
set local datestyle = 'ISO, YMD';
set local timezone = 'UTC';
set local intervalstyle = 'iso_8601';
set local extra_float_digits = 3;
set local bytea_output = 'hex';
set local cursor_tuple_fraction = 1;
`;

const declare = 'declare source no scroll cursor without hold for ';

export type Reading = { mostBytes: number; progress?: ((bytes: number, total: number | undefined) => void) | undefined };

/**
 * Writes the rows of a query into an Arrow file, as they all are at one moment: batch by batch through a cursor, in a transaction that
 * changes nothing. Fails with `NotFetched` where a column has a type, or a row a value, that cannot be kept as it is; else with what the
 * server or the connection reports.
 */
export async function readQuery(
  { client }: Connection,
  { query }: QueryFile,
  database: Database,
  path: string,
  { mostBytes, progress }: Reading,
): Promise<void> {
  await client.query(session(milliseconds(database.timeout)));
  // Of the extended protocol: it takes one statement, and no second behind it.
  const declared = { text: declare + query, queryMode: 'extended' };
  await client.query(declared).catch((error: unknown) => {
    throw isFinal(error) ? refusalOf(error, database, { query, before: declare.length }) : error;
  });
  const columns = await columnsOf(client);
  const known = await knownTypes(client, columns);
  const place = `postgres:${database.name}`;
  const held = carriersOf(place, columns, known);
  const fields = columns.map(({ name }, at) => new Field(name, held[at]!.type, true));
  await using file = await createArrowFile(path);
  let before = 0;
  let bytes = 0;
  for await (const { rows } of batchesOf(client, 'source')) {
    const children = held.map(({ hold }, column) =>
      hold(
        rows.map((row) => row[column]!),
        (row) => {
          throw notHeld(place, columns[column]!, before + row + 1, rows[row]![column]!);
        },
      ),
    );
    const data = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children });
    const made = new RecordBatch(new Schema(fields), data);
    await file.write(made);
    before += rows.length;
    bytes += made.data.byteLength;
    if (bytes > mostBytes)
      throw new NotFetched(
        `${place}: the rows of the query are larger than ${sized(mostBytes)}`,
        "where they may be, say so in portolan.config.mts: sources: { most: '50GB' }",
      );
    progress?.(bytes, undefined);
  }
  await file.end();
  // Under its hash it is taken for whole.
  await file.sync();
  await client.query('commit');
}

/** What the columns of the cursor are, before any of its rows is taken. */
async function columnsOf(client: Connection['client']): Promise<Described[]> {
  const { fields } = await client.query('fetch forward 0 from source');
  return fields.map(({ name, dataTypeID: oid, dataTypeModifier: modifier }) => ({ name, oid, modifier }));
}

/** What a server knows of types that are not the same everywhere. */
async function knownTypes(client: Connection['client'], columns: readonly Described[]): Promise<Map<number, KnownType>> {
  const unknown = columns.filter((column) => carrierOf(column) === undefined).map(({ oid }) => oid);
  if (unknown.length === 0) return new Map();
  const { rows } = await client.query<{ oid: string; name: string; category: string }>({
    text: 'select oid::text, format_type(oid, null) as name, typcategory::text as category from pg_catalog.pg_type where oid = any($1::oid[])',
    values: [unknown],
  });
  return new Map(rows.map(({ oid, ...type }) => [Number(oid), type]));
}

function carriersOf(place: string, columns: readonly Described[], known: ReadonlyMap<number, KnownType>): Carrier[] {
  const remedy = 'give each column of the query a name of its own: … as name';
  if (columns.length === 0) throw new NotFetched(`${place}: the query has no columns`, 'name what it selects');
  const twice = sameName(columns.map(({ name }) => name));
  if (twice !== undefined) throw new NotFetched(`${place}: two columns of the query have the name '${twice}'`, remedy);
  const carriers = columns.map((column) => carrierOf(column, known.get(column.oid)));
  const wrong = columns.filter((_, at) => carriers[at] === undefined);
  if (wrong.length === 0) return carriers as Carrier[];
  const types = wrong.map(({ name, oid }) => `'${name}' has the type ${known.get(oid)?.name ?? oid}`);
  throw new NotFetched(
    `${place}: ${types.join(', ')}: no column here holds all values of it as they are`,
    `write in the query: ${wrong.map((column) => insteadOf(column, known.get(column.oid))).join('; ')}`,
  );
}

const shown = (value: Text): string => {
  const text = value ?? 'null';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

const notHeld = (place: string, column: Described, row: number, value: Text): NotFetched =>
  new NotFetched(
    `${place}: row ${row} of the query has the value ${shown(value)} in '${column.name}', which cannot be kept as it is`,
    `leave such rows out, or write in the query: ${insteadOf(column).split(',').at(-1)!.split(' or ').at(-1)!.trim()}`,
  );
