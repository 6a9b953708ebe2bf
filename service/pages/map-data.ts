import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier } from '../../text/sql.ts';
import { select } from '../engine/datasets/dataset.ts';
import type { DatasetState } from '../engine/datasets/dataset.ts';
import { boundIds, listOfIds } from '../engine/datasets/ids.ts';
import { readyMap } from '../engine/datasets/indices.ts';
import { chosenColumns, columnList } from '../engine/datasets/rows.ts';
import type { Row } from '../engine/datasets/rows.ts';
import type { IndexRow } from '../engine/datasets/schema.ts';
import { HttpError, notFound } from '../core/errors.ts';
import { isVisionModel } from '../../contracts/maps/models.ts';
import { imageAddress } from './images.ts';
import { hitColumns, labelColumn, placeOf, topicLabels } from './labels.ts';
import type { PagesState } from './state.ts';
import { buildOf, projectOf } from '../core/records/projects.ts';
import { mapTitle } from './map-title.ts';
import { categoriesOf, categoryNumbers } from './categories.ts';
import { numberedPoints, positionsOf, taggedPoints } from './points.ts';

const RESULTS = 50;

type OnMap = { connection: DuckDBConnection; facts: DatasetState; index: IndexRow };

/** What the page of a map loads, by the last part of its address; `argument` is the query field of the same request. */
export const createMapData = ({ records, datasets, userId, topk }: PagesState) => {
  const onMap = <T>(mapId: string, work: (on: OnMap) => Promise<T>): Promise<T> =>
    datasets.use(buildOf(records, userId, 'projection_id', mapId).project_id, (dataset) =>
      dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        return work({ connection, facts, index: readyMap(facts, mapId) });
      }),
    );

  return {
    /** 404 where there is no such map. */
    check: (mapId: string): void => void buildOf(records, userId, 'projection_id', mapId),
    /** State of the map; once it is built also its categories and tags. */
    about(mapId: string) {
      const project = projectOf(records, userId, buildOf(records, userId, 'projection_id', mapId).project_id);
      const { slug } = records.get<{ slug: string }>('SELECT slug FROM organizations WHERE id = ?', project.owner)!;
      return datasets.use(project.id, (dataset) =>
        dataset.read(async (connection, factsHere) => {
          const facts = await factsHere();
          const index = facts.indices.find(({ projection_id }) => projection_id === mapId);
          if (!index) throw notFound('map', mapId);
          const ready = index.stage === 'Completed';
          return {
            title: mapTitle(index),
            name: index.index_name,
            dataset: { id: project.id, name: project.project_name, href: `/data/${slug}/${project.slug}` },
            stage: index.stage,
            error: index.error,
            rows: index.rows,
            datasetRows: facts.rows,
            embedded: index.model === null ? null : index.embedded,
            idField: facts.idField,
            labelField: facts.idField === null ? null : labelColumn(facts, index),
            times: facts.columns.filter(({ type }) => type === 'timestamp').map(({ name }) => name),
            // A text can be searched only by the model that made the vectors.
            searchable: ready && index.model !== null && index.dimensions !== null,
            images: index.model !== null && isVisionModel(index.model),
            topics: ready ? await topicLabels(connection, index) : [],
            categories: ready ? await categoriesOf(connection, facts, index) : [],
            tags: await select<{ id: string; name: string; count: number }>(
              connection,
              // A tag may be on rows that the map shows after its next update only.
              'SELECT tags.tag_id AS id, tag_name AS name, count("_row") AS count FROM tags LEFT JOIN tagged ON tagged.tag_id = tags.tag_id AND "_row" < ? WHERE projection_id = ? GROUP BY ALL ORDER BY name',
              [index.next_row, mapId],
            ),
          };
        }),
      );
    },
    points: (mapId: string) => onMap(mapId, ({ connection, index }) => positionsOf(connection, index)),
    categories: (mapId: string, column: string) =>
      onMap(mapId, ({ connection, facts, index }) => {
        const [chosen] = chosenColumns(facts, 'column', [column]);
        return categoryNumbers(connection, chosen!, index);
      }),
    tagged: (mapId: string, tagId: string) =>
      onMap(mapId, async ({ connection, index }) => {
        const [tag] = await select(connection, 'SELECT 1 AS known FROM tags WHERE tag_id = ? AND projection_id = ?', [tagId, mapId]);
        if (!tag) throw notFound('tag', tagId);
        return taggedPoints(connection, index, tagId);
      }),
    row: (mapId: string, row: string) =>
      onMap(mapId, async ({ connection, facts, index }) => {
        const number = /^\d{1,9}$/.test(row) ? Number(row) : -1;
        if (number < 0 || number >= index.rows) throw notFound('row', row);
        const [found] = await select<Row>(
          connection,
          `SELECT ${columnList(chosenColumns(facts, 'columns'))} FROM data WHERE "_row" = (SELECT "_row" FROM ${numberedPoints(index)} WHERE point = ?)`,
          [number],
        );
        return found ?? {};
      }),
    /** The rows nearest in meaning to a text, the closest first. */
    search(mapId: string, text: string) {
      const project = buildOf(records, userId, 'projection_id', mapId).project_id;
      return datasets.use(project, async (dataset) => {
        const facts = await dataset.facts();
        const index = readyMap(facts, mapId);
        const query = text.trim().slice(0, 2_000);
        if (query === '') throw new HttpError(400, 'q is empty; give a text to search by');
        const idField = facts.idField!;
        const labelField = labelColumn(facts, index);
        const beside = hitColumns(facts);
        const answer = await topk(
          {
            projection_id: mapId,
            k: Math.min(RESULTS, index.rows),
            fields: [...new Set([idField, labelField, ...Object.values(beside)])],
            query,
          },
          { requestId: '', userId, organizationId: '', keyRole: null, scopes: [], origin: '', headers: new Headers() },
        );
        const found = (Array.isArray(answer) ? answer : answer.data) as Row[];
        // The map may have lost points since: those have no number by now, and all others the one that the page will know them by.
        const rows = await dataset.read(async (connection, factsHere) =>
          select<{ id: string; row: number }>(
            connection,
            `SELECT data.${identifier(idField)} AS id, numbered.point AS "row" FROM data JOIN ${numberedPoints(readyMap(await factsHere(), mapId))} numbered USING ("_row") WHERE data.${identifier(idField)} IN ${listOfIds}`,
            [boundIds(found.map((each) => each[idField] as string))],
          ),
        );
        const rowOf = new Map(rows.map(({ id, row }) => [id, row]));
        return {
          results: found
            .filter((each) => rowOf.has(each[idField] as string))
            .map((each) => ({
              row: rowOf.get(each[idField] as string)!,
              label: String(each[labelField]).slice(0, 300),
              ...(beside.blob ? { image: imageAddress(project, String(each[beside.blob])) } : {}),
              place: placeOf(each, beside),
              similarity: each['_similarity'],
            })),
        };
      });
    },
  };
};
