import { randomUUID } from 'node:crypto';
import type { maps } from '../../../contracts/maps/index.ts';
import { select, writeJournal } from '../../engine/datasets/dataset.ts';
import { rowsForWrite } from '../../engine/datasets/ids.ts';
import { run } from '../../engine/datasets/statements.ts';
import { changeTag } from '../../engine/datasets/tagged.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { hashOfIds } from '../../core/journal.ts';
import { noteTag } from '../../core/records/map-tags.ts';
import { buildOf, projectOf } from '../../core/records/projects.ts';
import { checkCap } from './caps.ts';
import type { MapsState } from './state.ts';

export const createTags = ({ records, datasets, readings }: MapsState): Handlers<typeof maps>['tags'] => ({
  update: ({ projection_id, tag_name, ids, operation, id_field }, { userId, requestId }) => {
    const project = projectOf(records, userId, buildOf(records, userId, 'projection_id', projection_id).project_id);
    return datasets.use(project.id, (dataset) =>
      dataset.write(async (connection) => {
        const facts = await dataset.facts();
        const { idField, indices } = facts;
        const map = indices.find((index) => index.projection_id === projection_id);
        if (!map || idField === null) throw notFound('map', projection_id);
        checkCap(readings, 'ids', 'ids', ids.length);
        const named = id_field ?? undefined;
        const configured = project.unique_id_field !== null;
        const needed = { required: configured, optional: false, reversed: !configured }[readings.of('id-field')];
        if (named === undefined && needed)
          throw invalid('id_field', `is required: the ids of this dataset are in ${JSON.stringify(idField)}`);
        if (named !== undefined && named !== idField)
          throw invalid('id_field', `is ${JSON.stringify(named)}; the dataset's unique id field is ${JSON.stringify(idField)}`);
        const [known] = await select<{ tag_id: string }>(connection, 'SELECT tag_id FROM tags WHERE projection_id = ? AND tag_name = ?', [
          projection_id,
          tag_name,
        ]);
        if (!known && operation === 'remove') {
          if (readings.of('unknown-tag') === 'refused') throw notFound('tag', tag_name);
          return { success: true, tag_id: null, points_tagged: 0 };
        }
        const inMap = readings.of('tag-scope') === 'map';
        const tag_id = known?.tag_id ?? randomUUID();
        noteTag(records, tag_id, projection_id);
        if (!known)
          await run(connection, 'INSERT INTO tags (tag_id, projection_id, tag_name, user_id) VALUES (?, ?, ?, ?)', [
            tag_id,
            projection_id,
            tag_name,
            userId,
          ]);
        const found = await rowsForWrite(
          dataset,
          connection,
          idField,
          [...new Set(ids)],
          inMap ? { end: map.next_row, latestOnly: false } : { end: facts.nextRow, latestOnly: true },
        );
        const change = await changeTag(connection, tag_id, Array.from(found), operation);
        await writeJournal(
          connection,
          {
            requestId,
            operation: 'maps.tags.update',
            subject: `tag/${projection_id}/${tag_name}`,
            act: operation,
            // After an update of the map the same order is another one: replaced rows have come without their tags.
            content: { projection_id, map: map.ended_at, tag_name, operation, ids: hashOfIds(ids) },
          },
          change + (known ? 0 : 1),
        );
        dataset.expect(facts);
        return { success: true, tag_id, points_tagged: readings.of('tagged-count') === 'changed' ? change : found.length };
      }),
    );
  },
});
