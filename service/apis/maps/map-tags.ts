import { randomUUID } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { maps } from '../../../contracts/maps/index.ts';
import { selection } from '../../../contracts/maps/selection.ts';
import { readRows, projectIdOf } from '../../engine/datasets/arrow-input.ts';
import { writeJournal } from '../../engine/datasets/dataset.ts';
import type { DatasetState } from '../../engine/datasets/dataset.ts';
import { readyMap } from '../../engine/datasets/indices.ts';
import { applyMask, applyWhere, readMask } from '../../engine/datasets/mask.ts';
import { whereOf } from '../../engine/datasets/selection.ts';
import { run } from '../../engine/datasets/statements.ts';
import { tagsOf } from '../../engine/tiles/tags.ts';
import type { TagRow } from '../../engine/tiles/tags.ts';
import { HttpError, invalid, notFound } from '../../core/errors.ts';
import { sha256 } from '../../../text/sha256.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { mapOfTag, noteTag } from '../../core/records/map-tags.ts';
import { buildOf, projectOf } from '../../core/records/projects.ts';
import type { Access } from '../../core/records/projects.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

const viewOf = ({ tag_id, definition_id, tag_name, user_id, dsl_rule, projection_id }: TagRow, withRule = true) => ({
  tag_id,
  tag_definition_id: definition_id,
  tag_name,
  user_id,
  ...(withRule ? { dsl_rule } : {}),
  projection_id,
});

const done = { result: 'ok' };

/** A rule that the service can apply itself. */
const selectionOf = (rule: string | null) => {
  try {
    return selection.parse(JSON.parse(rule ?? 'null'));
  } catch {
    throw invalid('tag_id', 'the rule of this tag is no selection that the service knows: send its mask');
  }
};

const taken = (name: string): HttpError => new HttpError(409, `a tag named ${JSON.stringify(name)} is there already; choose another name`);

export const createMapTags = ({ records, datasets, readings }: MapsState): Handlers<typeof maps>['mapTags'] => {
  type Caller = { userId: string; requestId: string };
  type Change = { connection: DuckDBConnection; facts: DatasetState; tags: TagRow[]; mapId: string };

  const mapOf = (userId: string, projectId: string | undefined, mapId: string, access: Access): string => {
    const { project_id } = buildOf(records, userId, 'projection_id', mapId, access);
    if (projectId !== undefined && projectId !== project_id) throw notFound('map', mapId);
    return project_id;
  };
  const mapOfKnown = (tagId: string): string => {
    const mapId = mapOfTag(records, tagId);
    if (mapId === undefined) throw notFound('tag', tagId);
    return mapId;
  };
  const read = (userId: string, projectId: string | undefined, mapId: string): Promise<TagRow[]> =>
    datasets.use(mapOf(userId, projectId, mapId, 'read'), (dataset) => dataset.read((connection) => tagsOf(connection, mapId)));
  const known = (tags: readonly TagRow[], tagId: string): TagRow => {
    const tag = tags.find(({ tag_id }) => tag_id === tagId);
    if (!tag) throw notFound('tag', tagId);
    return tag;
  };
  /** One change of the tags of a map, with its journal row: what it returns as `changed` is counted there. */
  const change = <T>(
    { userId, requestId }: Caller,
    projectId: string | undefined,
    mapId: string,
    entry: Pick<JournalEntry, 'operation' | 'content'> & { name: string },
    work: (change: Change) => Promise<{ changed: number; value: T }>,
  ): Promise<T> =>
    datasets.use(mapOf(userId, projectId, mapId, 'write'), (dataset) =>
      dataset.write(async (connection) => {
        const facts = await dataset.facts();
        const { changed, value } = await work({ connection, facts, tags: await tagsOf(connection, mapId), mapId });
        const { name, ...rest } = entry;
        await writeJournal(connection, { requestId, subject: `tag/${mapId}/${name}`, ...rest }, changed);
        dataset.expect(facts);
        return value;
      }),
    );
  const forget = (connection: DuckDBConnection, tagId: string) => run(connection, 'DELETE FROM tagged WHERE tag_id = ?', [tagId]);

  return {
    async create({ project_id, projection_id, tag_name, tag_definition_id, dsl_rule }, caller) {
      const tag_id = randomUUID();
      mapOf(caller.userId, project_id, projection_id, 'write');
      noteTag(records, tag_id, projection_id);
      const content = { tag_name, tag_definition_id, dsl_rule };
      return change(
        caller,
        project_id,
        projection_id,
        { operation: 'maps.mapTags.create', name: tag_name, content },
        async ({ connection, tags }) => {
          const there = tags.find((tag) => tag.tag_name === tag_name);
          if (there && there.definition_id !== tag_definition_id) throw taken(tag_name);
          if (there) return { changed: 0, value: viewOf(there) };
          const made = { tag_id, projection_id, tag_name, definition_id: tag_definition_id, dsl_rule, user_id: caller.userId };
          await run(
            connection,
            'INSERT INTO tags (tag_id, projection_id, tag_name, definition_id, dsl_rule, user_id, incomplete) VALUES (?, ?, ?, ?, ?, ?, true)',
            Object.values(made),
          );
          return { changed: 1, value: viewOf({ ...made, incomplete: true }) };
        },
      );
    },
    async get({ tag_id, project_id }, { userId }) {
      return viewOf(known(await read(userId, project_id ?? undefined, mapOfKnown(tag_id)), tag_id));
    },
    async list({ project_id, projection_id, include_dsl_rule }, { userId }) {
      if (readings.of('tag-points') === 'none') throw new HttpError(404, 'no such operation: GET /v1/project/projection/tags/get/all');
      return (await read(userId, project_id, projection_id)).map((tag) => viewOf(tag, include_dsl_rule ?? true));
    },
    async status({ project_id, tag_id }, { userId }) {
      return { is_complete: !known(await read(userId, project_id, mapOfKnown(tag_id)), tag_id).incomplete };
    },
    update({ tag_id, tag_name, tag_definition_id, dsl_rule }, caller) {
      const content = { tag_name, tag_definition_id, dsl_rule };
      return change(
        caller,
        undefined,
        mapOfKnown(tag_id),
        { operation: 'maps.mapTags.update', name: tag_id, content },
        async ({ connection, tags }) => {
          const tag = known(tags, tag_id);
          if (tags.some((each) => each.tag_name === tag_name && each.tag_id !== tag_id)) throw taken(tag_name!);
          const other = tag_definition_id != null && tag_definition_id !== tag.definition_id;
          const next: TagRow = {
            ...tag,
            tag_name: tag_name ?? tag.tag_name,
            ...(other ? { definition_id: tag_definition_id, dsl_rule: dsl_rule ?? null, incomplete: true } : {}),
          };
          if (other) await forget(connection, tag_id);
          await run(connection, 'UPDATE tags SET tag_name = ?, definition_id = ?, dsl_rule = ?, incomplete = ? WHERE tag_id = ?', [
            next.tag_name,
            next.definition_id,
            next.dsl_rule,
            next.incomplete,
            tag_id,
          ]);
          return { changed: Number(other || next.tag_name !== tag.tag_name), value: viewOf(next) };
        },
      );
    },
    async remove({ project_id, tag_id }, caller) {
      projectOf(records, caller.userId, project_id);
      const mapId = mapOfTag(records, tag_id);
      // It is gone already, or was never there.
      if (mapId === undefined) return done;
      return change(
        caller,
        project_id,
        mapId,
        { operation: 'maps.mapTags.remove', name: tag_id, content: { tag_id } },
        async ({ connection, tags }) => {
          await forget(connection, tag_id);
          await run(connection, 'DELETE FROM tags WHERE tag_id = ?', [tag_id]);
          return { changed: tags.filter((tag) => tag.tag_id === tag_id).length, value: done };
        },
      );
    },
    mask({ body }, caller) {
      const file = readRows(body);
      const named = (field: string): string => {
        const value = file.metadata.get(field);
        if (!value) throw invalid(field, 'missing in the Arrow schema metadata');
        return value;
      };
      const project_id = projectIdOf(file);
      // Before all else: whoever may not change the dataset learns nothing of what is wrong with the file.
      projectOf(records, caller.userId, project_id);
      const [tag_id, definition, complete] = [named('tag_id'), named('tag_definition_id'), named('complete')];
      if (complete !== 'true' && complete !== 'false') throw invalid('complete', 'must be true or false');
      return change(
        caller,
        project_id,
        mapOfKnown(tag_id),
        { operation: 'maps.mapTags.mask', name: tag_id, content: { definition, complete, mask: sha256(body) } },
        async ({ connection, facts, tags, mapId }) => {
          const tag = known(tags, tag_id);
          if (tag.definition_id !== definition)
            throw new HttpError(409, 'the tag has another definition by now: make its mask by that one');
          const index = readyMap(facts, mapId);
          const changed = await applyMask(connection, index, tag_id, await readMask(connection, index, file));
          await run(connection, 'UPDATE tags SET incomplete = ? WHERE tag_id = ?', [complete === 'false', tag_id]);
          return { changed: changed + Number(tag.incomplete !== (complete === 'false')), value: done };
        },
      );
    },
    robotag: ({ project_id, tag_id }, caller) =>
      change(
        caller,
        project_id,
        mapOfKnown(tag_id),
        { operation: 'maps.mapTags.robotag', name: tag_id, content: { tag_id } },
        async ({ connection, facts, tags, mapId }) => {
          const tag = known(tags, tag_id);
          const index = readyMap(facts, mapId);
          const where = await whereOf(connection, facts, selectionOf(tag.dsl_rule), readings.all());
          const changed = await applyWhere(connection, index, tag_id, where);
          await run(connection, 'UPDATE tags SET incomplete = false WHERE tag_id = ?', [tag_id]);
          return { changed: changed + Number(tag.incomplete), value: done };
        },
      ),
  };
};
