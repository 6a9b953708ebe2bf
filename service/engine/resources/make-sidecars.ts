import { identifier } from '../../../text/sql.ts';
import { select } from '../datasets/dataset.ts';
import { columnOf, fieldsOf, groupColumns, Unmakeable, type Made, type Making } from './making.ts';
import { resourceTable, type Resource } from './store.ts';

/** Columns dealt to the tiles of a tree, in the order of their points. Those of the tree are named as no column of a user can be. */
const dealt = async (making: Making, source: string, columns: readonly string[]): Promise<Made> => {
  const tree = making.upstream('tree');
  const listed = columns.map((name) => `source.${identifier(name)}`).join(', ');
  const query = `SELECT tree."_row", tree.tix AS "_tix", tree.rix AS "_rix", ${listed} FROM ${resourceTable(tree.id)} tree JOIN ${source} source USING ("_row") ORDER BY "_tix", "_rix"`;
  const [counted] = await making.dataset.read((connection) =>
    select<{ rows: number; tiles: number }>(connection, `SELECT count(*) AS rows, count(DISTINCT "_tix") AS tiles FROM (${query})`),
  );
  // Positions in a tile are read by their number: a file with fewer rows than its tile would be another one's.
  if (counted!.rows !== tree.result!['rows'])
    throw new Unmakeable(`${counted!.rows} of the ${String(tree.result!['rows'])} points of the tree have these columns`);
  return {
    result: { ...counted!, columns },
    write: async (connection) => void (await connection.run(`CREATE OR REPLACE TABLE ${resourceTable(making.resource.id)} AS ${query}`)),
  };
};

const of = ({ id }: Resource): string => resourceTable(id);

export const embeddingSidecar = (making: Making): Promise<Made> => dealt(making, of(making.upstream('vectors')), ['vector']);

export const clusterSidecar = (making: Making): Promise<Made> => {
  const groups = making.upstream('groups');
  return dealt(making, of(groups), groupColumns(groups));
};

export const dataSidecar = (making: Making): Promise<Made> => {
  const names = making.resource.params['column_names'] as string[];
  for (const name of names) columnOf(making, name);
  return dealt(making, 'data', names);
};

type Described = { column: string; type: string; distinct: number; empty: number; least: string | null; most: string | null };

/** What the columns of a checkpoint hold, in so many characters at most. */
export const description = async (making: Making): Promise<Made> => {
  const { fields, maximum_characters: most } = making.resource.params as { fields: string[] | null; maximum_characters: number };
  const source = making.upstream('rows');
  for (const name of fields ?? []) columnOf(making, name);
  const known = fields ?? fieldsOf(source);
  const described: Described[] = [];
  for (const { name, type } of making.facts.columns.filter((column) => known.includes(column.name) && column.type !== 'vector')) {
    const [found] = await making.dataset.read((connection) =>
      select<Omit<Described, 'column' | 'type'>>(
        connection,
        `SELECT count(DISTINCT ${identifier(name)}) AS "distinct", count(*) - count(${identifier(name)}) AS empty, left(min(${identifier(name)})::VARCHAR, 80) AS least, left(max(${identifier(name)})::VARCHAR, 80) AS most
         FROM data JOIN ${resourceTable(source.id)} USING ("_row")`,
      ),
    );
    described.push({ column: name, type, ...found! });
  }
  const lines = described.map(
    ({ column, type, distinct, empty, least, most: largest }) =>
      `${column}: ${type}, ${distinct} values from ${String(least)} to ${String(largest)}, ${empty} empty`,
  );
  return { result: { rows: source.result!['rows'], columns: described, description: lines.join('\n').slice(0, most) } };
};
