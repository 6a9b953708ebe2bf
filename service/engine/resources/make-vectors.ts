import { localNeighborhood } from '../../../contracts/maps/resources.ts';
import { identifier } from '../../../text/sql.ts';
import type { Selection } from '../../../contracts/maps/selection.ts';
import { readNumbers, readVectors } from '../datasets/chunks.ts';
import { select } from '../datasets/dataset.ts';
import { whereOf } from '../datasets/selection.ts';
import { isTextModel } from '../../../contracts/maps/models.ts';
import { atMost, columnOf, rowsOf, rowsWent, text, Unmakeable, vector, vectorsOf, writing, type Made, type Making } from './making.ts';
import { resourceTable, type Resource } from './store.ts';

/** Texts that are embedded in one go. */
const BATCH = 256;

/** The rows that a checkpoint holds: those of the data as it is, by its filter. */
export const checkpoint = async (making: Making): Promise<Made> => {
  const { dataset, facts, resource, readings } = making;
  const {
    composite_filter: filter,
    columns,
    timestamp,
  } = resource.params as { composite_filter: Selection | null; columns: string[] | null; timestamp: number | null };
  const missing = columns?.find((name) => facts.columns.every((column) => column.name !== name));
  if (missing !== undefined) throw new Unmakeable(`${JSON.stringify(missing)} is not a column of this dataset`);
  if (timestamp !== null && facts.addedAt !== null && timestamp < facts.addedAt)
    throw new Unmakeable(`the local service keeps no former versions: the data has changed since ${timestamp}`);
  const rows = await dataset.read(async (connection) => {
    const where = filter ? await whereOf(connection, facts, filter, readings.all()) : undefined;
    return readNumbers(
      connection,
      `WITH ${where?.tables.sql ?? ''}found AS (FROM data WHERE "_row" NOT IN (SELECT "_row" FROM deleted WHERE replaced) AND (${where?.sql ?? 'true'}))
       SELECT "_row"::UINTEGER FROM found ORDER BY "_row"`,
      [...(where?.tables.params ?? []), ...(where?.params ?? [])],
    );
  });
  return {
    result: { rows: rows.length, fields: columns ?? facts.columns.map(({ name }) => name), checkpoint: facts.checkpoint },
    write: writing(making, rows, []),
  };
};

/** The vectors that the dataset brings itself. */
export const embeddingSet = async (making: Making): Promise<Made> => {
  const own = making.facts.columns.find(({ type }) => type === 'vector');
  if (!own) throw new Unmakeable('the dataset has no `_embeddings`: ask for EMBEDDING_SET_INFERRED');
  columnOf(making, own.name);
  const target = making.resource.params['embedding_target'] as string | null;
  if (target !== null && target !== own.name)
    throw new Unmakeable(
      `${JSON.stringify(target)} holds no vectors: those of the dataset are ${JSON.stringify(own.name)}, also where none are named`,
    );
  const source = making.upstream('rows');
  const rows = await rowsOf(making, source);
  const values = await making.dataset.read((connection) =>
    readVectors(connection, `SELECT ${identifier(own.name)} FROM data JOIN ${resourceTable(source.id)} USING ("_row") ORDER BY "_row"`),
  );
  const held = values.length / own.dimensions!;
  if (held !== rows.length) throw rowsWent(held, 'checkpoint', rows.length);
  return { result: { rows: rows.length, dimensions: own.dimensions }, write: writing(making, rows, [vector(values, own.dimensions!)]) };
};

/** How many rows of a checkpoint are still there. */
const heldOf = async ({ dataset }: Making, { id }: Resource): Promise<number> => {
  const [found] = await dataset.read((connection) =>
    select<{ held: number }>(connection, `SELECT count(*) AS held FROM data JOIN ${resourceTable(id)} USING ("_row")`),
  );
  return found!.held;
};

/** Vectors of the texts of a column. */
export const inferredSet = async (making: Making): Promise<Made> => {
  const { dataset, resource, embedder, signal } = making;
  const { source_column: name, embedding_model: model } = resource.params as { source_column: string; embedding_model: string };
  const column = columnOf(making, name);
  if (!isTextModel(model) || column.type !== 'string')
    throw new Unmakeable(`${model} on a column of ${column.type} values: only text is embedded for resources`);
  const source = making.upstream('rows');
  const rows = await rowsOf(making, source);
  const values = new Float32Array(rows.length * embedder.dimensions);
  for (let from = 0; from < rows.length; from += BATCH) {
    signal.throwIfAborted();
    const batch = rows.subarray(from, from + BATCH);
    const texts = await dataset.read((connection) =>
      select<{ text: string }>(
        connection,
        `SELECT ${identifier(name)} AS text FROM data WHERE "_row" IN (SELECT "_row" FROM ${resourceTable(source.id)}) AND "_row" BETWEEN ? AND ? ORDER BY "_row"`,
        [batch[0]!, batch.at(-1)!],
      ),
    );
    if (texts.length !== batch.length) throw rowsWent(await heldOf(making, source), 'checkpoint', rows.length);
    values.set(
      await embedder.embed(
        texts.map((each) => each.text),
        'search_document',
        model,
      ),
      from * embedder.dimensions,
    );
  }
  return {
    result: { rows: rows.length, dimensions: embedder.dimensions, model },
    write: writing(making, rows, [vector(values, embedder.dimensions)]),
  };
};

/** A graph of near neighbours, with the share of the true ones that it finds. */
export const graph = async (making: Making): Promise<Made> => {
  const {
    M: most,
    ef_construction: ef,
    n_neighbors: k,
    local_neighborhood_size: local,
  } = making.resource.params as { M: number; ef_construction: number; n_neighbors: number; local_neighborhood_size: number };
  if (local !== localNeighborhood)
    throw new Unmakeable('local_neighborhood_size is of the projections of the hosted service, which are not public: leave it out');
  const { rows, values, dims } = await vectorsOf(making, making.upstream('vectors'));
  atMost(20_000, { rows });
  const { neighbors, layers, recall } = await making.computing.run('measuredGraph', values, dims, { most, ef, k });
  return { result: { rows: rows.length, layers, recall }, write: writing(making, rows, [text('neighbors', neighbors)]) };
};
