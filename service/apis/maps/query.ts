import type { maps } from '../../../contracts/maps/index.ts';
import { select } from '../../engine/datasets/dataset.ts';
import { readyMap, vectorSource } from '../../engine/datasets/indices.ts';
import { chosenColumns, columnList } from '../../engine/datasets/rows.ts';
import type { Row } from '../../engine/datasets/rows.ts';
import { quoted } from '../../engine/datasets/schema.ts';
import { whereOf } from '../../engine/datasets/selection.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import { jsonText } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { buildOf } from '../../core/records/projects.ts';
import type { MapsState } from './state.ts';

export const createQuery = ({ records, datasets, embedder }: MapsState): Handlers<typeof maps>['query'] => ({
  select: ({ projection_id, selection }, { userId }) =>
    datasets.use(buildOf(records, userId, 'projection_id', projection_id).project_id, async (dataset) => {
      const facts = await dataset.facts();
      const index = readyMap(facts, projection_id);
      return dataset.read(async (connection) => {
        const where = await whereOf(connection, facts, selection);
        // A million ids as values of this process would hold it up for seconds; DuckDB writes their JSON in threads of its own.
        const [ids] = await select<{ json: string | null }>(
          connection,
          `SELECT string_agg(to_json(${quoted(facts.idField!)})::VARCHAR, ',' ORDER BY "_row") AS json FROM data WHERE "_row" < ? AND (${where.sql})`,
          [index.next_row, ...where.params],
        );
        return jsonText<string[]>(`[${ids!.json ?? ''}]`);
      });
    }),

  topk: ({ projection_id, k, fields, query, selection, task_type }, { userId }) =>
    datasets.use(buildOf(records, userId, 'projection_id', projection_id).project_id, async (dataset) => {
      const facts = await dataset.facts();
      const index = readyMap(facts, projection_id);
      const columns = chosenColumns(facts, 'fields', fields);
      if (index.dimensions === null)
        throw new HttpError(400, 'this map has random coordinates and no vectors; build one with a model to search it');
      if (typeof query === 'string' && index.model === null)
        throw invalid('query', `this dataset brings its own vectors; search it with a vector of ${index.dimensions} numbers`);
      const vector =
        typeof query === 'string' ? Array.from(await embedder.embed([query], task_type ?? 'search_query', index.model!)) : query;
      if (vector.length !== index.dimensions)
        throw invalid('query', `a vector of ${vector.length} numbers; this map's have ${index.dimensions}`);
      return dataset.read(async (connection) => {
        const where = selection ? await whereOf(connection, facts, selection) : { sql: 'true', params: [] };
        const source = vectorSource(index);
        const vectors =
          source.table === 'data' ? `SELECT "_row", ${source.column} AS vector FROM data` : `SELECT "_row", vector FROM ${source.table}`;
        // Cosine of an all-zero vector is NaN, which DuckDB sorts above everything.
        const rows = await select<Row>(
          connection,
          `WITH best AS (
             SELECT "_row", coalesce(nullif(array_cosine_similarity(vector, from_json(CAST(? AS VARCHAR), '["FLOAT"]')::FLOAT[${index.dimensions}])::DOUBLE, 'nan'::DOUBLE), 0) AS similarity
             FROM (${vectors}) WHERE "_row" < ?${selection ? ` AND "_row" IN (SELECT "_row" FROM data WHERE ${where.sql})` : ''}
             ORDER BY similarity DESC, "_row" LIMIT ?)
           SELECT ${columns.length > 0 ? `${columnList(columns, 'data.')}, ` : ''}similarity AS "_similarity" FROM best JOIN data USING ("_row") ORDER BY similarity DESC, "_row"`,
          [JSON.stringify(vector), index.next_row, ...where.params, k],
        );
        return { data: rows };
      });
    }),
});
