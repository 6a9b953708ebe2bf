import { identifier } from '../../text/sql.ts';
import { select } from '../engine/datasets/dataset.ts';
import type { Dataset, DatasetState } from '../engine/datasets/dataset.ts';
import { listOfIds } from '../engine/datasets/ids.ts';
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

/** What the page of a map loads, by the last part of its address; `argument` is the query field of the same request. */
export const createMapData = ({ records, datasets, userId, topk }: PagesState) => {
  const onMap = <T>(mapId: string, work: (dataset: Dataset, facts: DatasetState, index: IndexRow) => Promise<T>): Promise<T> =>
    datasets.use(buildOf(records, userId, 'projection_id', mapId).project_id, async (dataset) => {
      const facts = await dataset.facts();
      return work(dataset, facts, readyMap(facts, mapId));
    });

  return {
    /** 404 where there is no such map. */
    check: (mapId: string): void => void buildOf(records, userId, 'projection_id', mapId),
    /** State of the map; once it is built also its categories and tags. */
    about(mapId: string) {
      const project = projectOf(records, userId, buildOf(records, userId, 'projection_id', mapId).project_id);
      const { slug } = records.get<{ slug: string }>('SELECT slug FROM organizations WHERE id = ?', project.owner)!;
      return datasets.use(project.id, async (dataset) => {
        const facts = await dataset.facts();
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
          topics: ready ? await dataset.read((connection) => topicLabels(connection, index)) : [],
          categories: ready ? await dataset.read((connection) => categoriesOf(connection, facts, index)) : [],
          tags: await dataset.read((connection) =>
            select<{ id: string; name: string; count: number }>(
              connection,
              // A tag may be on rows that the map shows after its next update only.
              'SELECT tags.tag_id AS id, tag_name AS name, count("_row") AS count FROM tags LEFT JOIN tagged ON tagged.tag_id = tags.tag_id AND "_row" < ? WHERE projection_id = ? GROUP BY ALL ORDER BY name',
              [index.next_row, mapId],
            ),
          ),
        };
      });
    },
    points: (mapId: string) => onMap(mapId, (dataset, _, index) => dataset.read((connection) => positionsOf(connection, index))),
    categories: (mapId: string, column: string) =>
      onMap(mapId, (dataset, facts, index) => {
        const [chosen] = chosenColumns(facts, 'column', [column]);
        return dataset.read((connection) => categoryNumbers(connection, chosen!, index));
      }),
    tagged: (mapId: string, tagId: string) =>
      onMap(mapId, (dataset, _, index) =>
        dataset.read(async (connection) => {
          const [tag] = await select(connection, 'SELECT 1 AS known FROM tags WHERE tag_id = ? AND projection_id = ?', [tagId, mapId]);
          if (!tag) throw notFound('tag', tagId);
          return taggedPoints(connection, index, tagId);
        }),
      ),
    row: (mapId: string, row: string) =>
      onMap(mapId, (dataset, facts, index) =>
        dataset.read(async (connection) => {
          const number = /^\d{1,9}$/.test(row) ? Number(row) : -1;
          if (number < 0 || number >= index.rows) throw notFound('row', row);
          const [found] = await select<Row>(
            connection,
            `SELECT ${columnList(chosenColumns(facts, 'columns'))} FROM data WHERE "_row" = (SELECT "_row" FROM ${numberedPoints(index)} WHERE point = ?)`,
            [number],
          );
          return found ?? {};
        }),
      ),
    /** The rows nearest in meaning to a text, the closest first. */
    search: (mapId: string, text: string) =>
      onMap(mapId, async (dataset, facts, index) => {
        const project = buildOf(records, userId, 'projection_id', mapId).project_id;
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
        const rows = await dataset.read((connection) =>
          select<{ id: string; row: number }>(
            connection,
            `SELECT ${identifier(idField)} AS id, point AS "row" FROM data JOIN ${numberedPoints(index)} USING ("_row") WHERE ${identifier(idField)} IN ${listOfIds}`,
            [JSON.stringify(found.map((each) => each[idField]))],
          ),
        );
        const rowOf = new Map(rows.map(({ id, row }) => [id, row]));
        return {
          results: found.map((each) => ({
            row: rowOf.get(each[idField] as string)!,
            label: String(each[labelField]).slice(0, 300),
            ...(beside.blob ? { image: imageAddress(project, String(each[beside.blob])) } : {}),
            place: placeOf(each, beside),
            similarity: each['_similarity'],
          })),
        };
      }),
  };
};
