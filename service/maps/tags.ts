import { randomUUID } from 'node:crypto';
import type { maps } from '../../contracts/maps/index.ts';
import { select, writeJournal } from '../datasets/dataset.ts';
import { listOfIds } from '../datasets/ids.ts';
import { quoted } from '../datasets/schema.ts';
import { invalid, notFound } from '../errors.ts';
import type { Handlers } from '../http/handlers.ts';
import { hashOfIds } from '../journal.ts';
import { buildOf } from '../records/projects.ts';
import type { MapsState } from './state.ts';

export const createTags = ({ records, datasets }: MapsState): Handlers<typeof maps>['tags'] => ({
  update: ({ projection_id, tag_name, ids, operation, id_field }, { userId, requestId }) =>
    datasets.use(buildOf(records, userId, 'projection_id', projection_id).project_id, async (dataset) => {
      const { idField, indices } = await dataset.facts();
      const map = indices.find((index) => index.projection_id === projection_id);
      if (!map || idField === null) throw notFound('map', projection_id);
      if (id_field !== undefined && id_field !== idField)
        throw invalid('id_field', `is ${JSON.stringify(id_field)}; the dataset's unique id field is ${JSON.stringify(idField)}`);
      return dataset.write(async (connection) => {
        const [known] = await select<{ tag_id: string }>(connection, 'SELECT tag_id FROM tags WHERE projection_id = ? AND tag_name = ?', [
          projection_id,
          tag_name,
        ]);
        if (!known && operation === 'remove') throw notFound('tag', tag_name);
        const tag_id = known?.tag_id ?? randomUUID();
        if (!known) await connection.run('INSERT INTO tags VALUES (?, ?, ?)', [tag_id, projection_id, tag_name]);
        const unique = JSON.stringify([...new Set(ids)]);
        const found = `SELECT "_row" FROM data WHERE ${quoted(idField)} IN ${listOfIds} AND "_row" < ?`;
        const [counted] = await select<{ found: number; tagged: number }>(
          connection,
          `WITH found AS (${found}) SELECT count(*) AS found, count(*) FILTER ("_row" IN (SELECT "_row" FROM tagged WHERE tag_id = ?)) AS tagged FROM found`,
          [unique, map.rows, tag_id],
        );
        const change = operation === 'add' ? counted!.found - counted!.tagged : counted!.tagged;
        if (change > 0 && operation === 'add') {
          await connection.run(
            `INSERT INTO tagged SELECT ?, "_row" FROM (${found}) WHERE "_row" NOT IN (SELECT "_row" FROM tagged WHERE tag_id = ?)`,
            [tag_id, unique, map.rows, tag_id],
          );
        } else if (change > 0) {
          await connection.run(`DELETE FROM tagged WHERE tag_id = ? AND "_row" IN (${found})`, [tag_id, unique, map.rows]);
        }
        await writeJournal(
          connection,
          {
            requestId,
            operation: 'maps.tags.update',
            subject: `tag/${projection_id}/${tag_name}`,
            act: operation,
            content: { projection_id, tag_name, operation, ids: hashOfIds(ids) },
          },
          change + (known ? 0 : 1),
        );
        return { success: true, tag_id, points_tagged: counted!.found };
      });
    }),
});
