import { identifier, literal } from '../../../text/sql.ts';
import type { maps } from '../../../contracts/maps/index.ts';
import { select } from '../../engine/datasets/dataset.ts';
import { readyMap, vectorsByRow } from '../../engine/datasets/indices.ts';
import { chosenColumns, columnList } from '../../engine/datasets/rows.ts';
import type { Row } from '../../engine/datasets/rows.ts';
import { whereOf } from '../../engine/datasets/selection.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import { jsonText } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { buildOf, projectRecord } from '../../core/records/projects.ts';
import { cosine, dotProduct, vectorLiteral } from '../../engine/datasets/cosine.ts';
import { checkCap } from './caps.ts';
import type { MapsState } from './state.ts';

/** Embeds the texts that search a dataset of own vectors. */
const ownModel = 'svc-embed-text-v1';

/** Points of a selection where it is capped. */
const mostSelected = 25;

export const createQuery = ({ records, datasets, meter, readings }: MapsState): Handlers<typeof maps>['query'] => ({
  select: ({ projection_id, selection }, { userId }) =>
    datasets.use(buildOf(records, userId, 'projection_id', projection_id, 'read').project_id, (dataset) =>
      dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        const index = readyMap(facts, projection_id);
        const where = await whereOf(connection, facts, selection, readings.all());
        // A million ids as values of this process would hold it up for seconds; DuckDB writes their JSON in threads of its own.
        const capped = readings.of('selection-size') === 'capped';
        const shape = readings.of('select-answer');
        const id = identifier(facts.idField!);
        const member =
          shape === 'objects' || shape === 'data-objects' ? `json_object(${literal(facts.idField!)}, ${id})` : `to_json(${id})`;
        const [ids] = await select<{ json: string | null }>(
          connection,
          `WITH ${where.tables.sql}found AS (FROM data WHERE "_row" < ? AND (${where.sql}))
           SELECT string_agg(${member}::VARCHAR, ',' ORDER BY "_row") AS json FROM (FROM found${capped ? ` ORDER BY "_row" LIMIT ${mostSelected}` : ''})`,
          [...where.tables.params, index.next_row, ...where.params],
        );
        const list = `[${ids!.json ?? ''}]`;
        return jsonText<string[]>(shape === 'data' || shape === 'data-objects' ? `{"data":${list}}` : list);
      }),
    ),

  topk({ projection_id, k, fields, query, selection, task_type }, { userId, organizationId }) {
    const { project_id } = buildOf(records, userId, 'projection_id', projection_id, 'read');
    return datasets.use(project_id, async (dataset) => {
      // No transaction is held while a text is embedded: the order is checked against this state, and answered from that of the read.
      const before = await dataset.facts();
      const index = readyMap(before, projection_id);
      chosenColumns(before, 'fields', fields);
      if (index.dimensions === null)
        throw new HttpError(400, 'this map has random coordinates and no vectors; build one with a model to search it');
      checkCap(readings, 'k', 'k', k);
      // A text is embedded for a dataset of own vectors too: where the widths differ it is refused like any other vector.
      // Who has no key, or one of an organization that was left, reads on the account of whose the map is.
      const account = organizationId || projectRecord(records, userId, project_id, 'read').owner;
      const vector =
        typeof query === 'string'
          ? Array.from(await meter.embedder(account).embed([query], task_type ?? 'search_query', index.model ?? ownModel))
          : query;
      const width = index.dimensions;
      if (vector.some((value) => !Number.isFinite(Math.fround(value)))) throw invalid('query', 'a number beyond float32');
      if (vector.length !== index.dimensions)
        throw invalid('query', `a vector of ${vector.length} numbers; this map's have ${index.dimensions}`);
      return dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        const here = readyMap(facts, projection_id);
        const columns = chosenColumns(facts, 'fields', fields);
        const where = selection ? await whereOf(connection, facts, selection, readings.all()) : undefined;
        const measure = readings.of('similarity') === 'dot' ? dotProduct : cosine;
        const rows = await select<Row>(
          connection,
          `WITH ${where?.tables.sql ?? ''}best AS (
             SELECT "_row", ${measure('vector', vectorLiteral(vector), width)} AS similarity
             FROM ${vectorsByRow(here)} WHERE "_row" < ?${where ? ` AND "_row" IN (SELECT "_row" FROM data WHERE ${where.sql})` : ''}
             ORDER BY similarity DESC, "_row" LIMIT ?)
           SELECT ${columns.length > 0 ? `${columnList(columns, 'data.')}, ` : ''}best.similarity AS "_similarity" FROM best JOIN data USING ("_row") ORDER BY best.similarity DESC, "_row"`,
          [...(where?.tables.params ?? []), here.next_row, ...(where?.params ?? []), k],
        );
        return readings.of('topk-answer') === 'list' ? rows : { data: rows };
      });
    });
  },
});
