import { randomUUID } from 'node:crypto';
import { select } from '../engine/datasets/dataset.ts';
import { readyMap } from '../engine/datasets/indices.ts';
import { identifier } from '../../text/sql.ts';
import { HttpError, invalid } from '../core/errors.ts';
import { buildOf } from '../core/records/projects.ts';
import type { PagesState } from './state.ts';
import { numberedPoints } from './points.ts';

/** Ids of one order, as many as the operation takes. */
const perOrder = 10_000;

/** Points of one selection. */
const mostPoints = 500_000;

export type TagOrder = {
  map: string;
  name: string;
  operation: string;
  /** Numbers of points as uint32, little-endian. */ body: Uint8Array;
};

/** Tags the points that somebody has selected on the page of a map, or takes the tag from them, by the operation of the API that does so. */
export const tagPoints = async ({ records, datasets, userId, tag }: PagesState, { map, name, operation, body }: TagOrder) => {
  const named = name.trim();
  if (named === '') throw invalid('name', 'is empty; give the tag a name');
  if (operation !== 'add' && operation !== 'remove') throw invalid('operation', 'is add or remove');
  if (body.byteLength % 4 !== 0 || body.byteLength === 0) throw invalid('body', 'holds no numbers of points');
  if (body.byteLength / 4 > mostPoints)
    throw new HttpError(413, `more than ${mostPoints} points; select fewer, or tag them by a pipeline (points.tag)`);
  const points = [...new Set(new Uint32Array(Uint8Array.from(body).buffer))];
  const { idField, ids } = await datasets.use(buildOf(records, userId, 'projection_id', map).project_id, (dataset) =>
    dataset.read(async (connection, factsHere) => {
      const facts = await factsHere();
      const index = readyMap(facts, map);
      const rows = await select<{ id: string }>(
        connection,
        `SELECT data.${identifier(facts.idField!)} AS id FROM data JOIN ${numberedPoints(index)} numbered USING ("_row") WHERE numbered.point IN (SELECT unnest(from_json(CAST(? AS VARCHAR), '["BIGINT"]'))) ORDER BY numbered.point`,
        [JSON.stringify(points)],
      );
      return { idField: facts.idField!, ids: rows.map(({ id }) => id) };
    }),
  );
  if (ids.length === 0) throw invalid('body', 'holds no numbers of points of this map');
  let tagged = 0;
  for (let at = 0; at < ids.length; at += perOrder) {
    const { points_tagged } = await tag(
      { projection_id: map, tag_name: named, ids: ids.slice(at, at + perOrder), operation, id_field: idField },
      { requestId: randomUUID(), userId, organizationId: '', keyRole: null, scopes: [], origin: '', headers: new Headers() },
    );
    tagged += points_tagged ?? 0;
  }
  return { points_tagged: tagged };
};
