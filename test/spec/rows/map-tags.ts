import { Bool, Field, List, tableFromIPC } from 'apache-arrow';
import { expect } from 'vitest';
import { arrowFile } from '../../service/world.ts';
import { nowhere } from './made.ts';
import type { MadeMap, Rows, Shown } from './row.ts';

let names = 0;

/** A tag of a rule of its own, on the map that all rows share. */
const newTag = async (at: Shown, rule: object = { field: 'year', method: 'range', range: [1900, 1903] }) => {
  const made = await at.map();
  names += 1;
  const named = { project_id: made.project, projection_id: made.map, tag_name: `tag ${names}`, tag_definition_id: `rule-${names}` };
  const dsl_rule = JSON.stringify({ method: 'composition', conjunctor: 'ALL', filters: [rule] });
  return { made, tag: await at.invoke('maps.mapTags.create', { ...named, dsl_rule }), dsl_rule };
};

/** Which points of the map have a tag, in the order of its only tile. */
const pointsOf = async (at: Shown, { project, map }: MadeMap, definition: string): Promise<boolean[]> => {
  const tile = { project_id: project, projection_id: map, z: '0', x: '0', file: `0._tag.${definition}.feather` };
  return [...tableFromIPC(await at.invoke('maps.tiles.get', tile)).getChild('bitmask')!] as boolean[];
};

const list = new List(new Field('item', new Bool(), true));

export const mapTags = {
  'maps.mapTags.create': {
    readBack: 'maps.mapTags.get',
    async run(at) {
      const { made, tag, dsl_rule } = await newTag(at);
      expect(await at.invoke('maps.mapTags.get', { tag_id: tag.tag_id })).toMatchObject({ ...tag, dsl_rule, projection_id: made.map });
      const again = { project_id: made.project, projection_id: made.map, tag_name: tag.tag_name!, dsl_rule };
      const same = await at.invoke('maps.mapTags.create', { ...again, tag_definition_id: tag.tag_definition_id });
      expect(same.tag_id).toBe(tag.tag_id);
      expect(await at.refused(at.invoke('maps.mapTags.create', { ...again, tag_definition_id: 'another' }))).toBe(409);
    },
  },
  'maps.mapTags.get': {
    readBack: 'maps.mapTags.list',
    async run(at) {
      const { made, tag } = await newTag(at);
      const found = await at.invoke('maps.mapTags.get', { tag_id: tag.tag_id, project_id: made.project });
      expect(await at.invoke('maps.mapTags.list', { project_id: made.project, projection_id: made.map })).toContainEqual(found);
      expect(await at.refused(at.invoke('maps.mapTags.get', { tag_id: tag.tag_id, project_id: nowhere }))).toBe(404);
    },
  },
  'maps.mapTags.list': {
    readBack: 'maps.mapTags.get',
    async run(at) {
      const { made, tag } = await newTag(at);
      const named = { project_id: made.project, projection_id: made.map };
      const found = (await at.invoke('maps.mapTags.list', named)).find(({ tag_id }) => tag_id === tag.tag_id);
      expect(found).toEqual(await at.invoke('maps.mapTags.get', { tag_id: tag.tag_id }));
      const plain = (await at.invoke('maps.mapTags.list', { ...named, include_dsl_rule: false }))[0];
      expect(plain).not.toHaveProperty('dsl_rule');
      expect(await at.refused(at.invoke('maps.mapTags.list', { ...named, project_id: nowhere }))).toBe(404);
    },
  },
  'maps.mapTags.status': {
    readBack: 'maps.tiles.get',
    async run(at) {
      const { made, tag } = await newTag(at);
      const named = { project_id: made.project, tag_id: tag.tag_id };
      expect(await at.invoke('maps.mapTags.status', named)).toEqual({ is_complete: false });
      await at.invoke('maps.mapTags.robotag', named);
      expect(await at.invoke('maps.mapTags.status', named)).toEqual({ is_complete: true });
      expect((await pointsOf(at, made, tag.tag_definition_id)).filter(Boolean)).toHaveLength(4);
      expect(await at.refused(at.invoke('maps.mapTags.status', { ...named, project_id: nowhere }))).toBe(404);
    },
  },
  'maps.mapTags.update': {
    readBack: 'maps.mapTags.get',
    async run(at) {
      const { made, tag } = await newTag(at);
      const renamed = await at.invoke('maps.mapTags.update', { tag_id: tag.tag_id, tag_name: `${tag.tag_name} renamed` });
      expect(await at.invoke('maps.mapTags.get', { tag_id: tag.tag_id })).toEqual({ ...tag, ...renamed });
      const other = await newTag(at);
      expect(await at.refused(at.invoke('maps.mapTags.update', { tag_id: tag.tag_id, tag_name: other.tag.tag_name! }))).toBe(409);
      await at.invoke('maps.mapTags.robotag', { project_id: made.project, tag_id: tag.tag_id });
      const changed = { tag_id: tag.tag_id, tag_definition_id: 'changed', dsl_rule: '["a", "rule"]' };
      expect(await at.invoke('maps.mapTags.update', changed)).toMatchObject(changed);
      expect(await pointsOf(at, made, 'changed')).not.toContain(true);
    },
  },
  'maps.mapTags.remove': {
    readBack: 'maps.mapTags.list',
    async run(at) {
      const { made, tag } = await newTag(at);
      const named = { project_id: made.project, tag_id: tag.tag_id };
      await at.invoke('maps.mapTags.remove', named);
      const left = await at.invoke('maps.mapTags.list', { project_id: made.project, projection_id: made.map });
      expect(left.map(({ tag_id }) => tag_id)).not.toContain(tag.tag_id);
      await at.invoke('maps.mapTags.remove', named);
      expect(await at.refused(at.invoke('maps.mapTags.remove', { ...named, project_id: nowhere }))).toBe(404);
    },
  },
  'maps.mapTags.mask': {
    readBack: 'maps.tiles.get',
    async run(at) {
      const { made, tag } = await newTag(at);
      const metadata = { project_id: made.project, tag_id: tag.tag_id, tag_definition_id: tag.tag_definition_id, complete: 'true' };
      const send = (bits: boolean[], more = {}) =>
        at.invoke('maps.mapTags.mask', { body: arrowFile({ ...metadata, ...more }, { bitmask: { type: list, values: [bits] } }) });
      const bits = Array.from({ length: 30 }, (_, point) => point % 3 === 0);
      await send(bits);
      expect(await pointsOf(at, made, tag.tag_definition_id)).toEqual(bits);
      expect(await at.refused(send(bits.slice(1)))).toBe(422);
      expect(await at.refused(send(bits, { tag_definition_id: 'former' }))).toBe(409);
    },
  },
  'maps.mapTags.robotag': {
    readBack: 'maps.query.select',
    async run(at) {
      const { made, tag, dsl_rule } = await newTag(at, { field: 'text', method: 'search', query: 'storm' });
      await at.invoke('maps.mapTags.robotag', { project_id: made.project, tag_id: tag.tag_id });
      const found = await at.invoke('maps.query.select', { projection_id: made.map, selection: JSON.parse(dsl_rule) });
      expect((await pointsOf(at, made, tag.tag_definition_id)).filter(Boolean)).toHaveLength((found as string[]).length);
      const unknown = await at.invoke('maps.mapTags.update', { tag_id: tag.tag_id, tag_definition_id: 'own', dsl_rule: '["own"]' });
      expect(await at.refused(at.invoke('maps.mapTags.robotag', { project_id: made.project, tag_id: unknown.tag_id }))).toBe(422);
    },
  },
} satisfies Partial<Rows>;
