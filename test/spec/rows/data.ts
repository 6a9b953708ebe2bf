import { tableFromIPC } from 'apache-arrow';
import { expect } from 'vitest';
import { words } from '../../service/world.ts';
import { settled } from '../place.ts';
import { datasetOf, mapOf, nowhere } from './made.ts';
import type { Rows } from './row.ts';

/** What stands in the rows of `shardOf`. */
const rowsOf = (...numbers: number[]) =>
  numbers.map((row) => ({ id: `row-${row}`, text: `${words[row % words.length]} number ${row}`, year: 1900 + (row % 100) }));

export const data = {
  'maps.data.addArrow': {
    readBack: 'maps.data.get',
    async run(at) {
      const project_id = await datasetOf(at, 2);
      await at.invoke('maps.data.addArrow', { body: at.shardOf(project_id, 2, { from: 2 }) });
      const { datums } = await at.invoke('maps.data.get', { project_id, datum_ids: ['row-3', 'row-0'] });
      expect(datums).toMatchObject(rowsOf(3, 0));
      // Without the mark that known ids are to be left out.
      expect(await at.refused(at.invoke('maps.data.addArrow', { body: at.shardOf(project_id, 6, { ignore: false }) }))).toBe(409);
      expect(await at.refused(at.invoke('maps.data.get', { project_id, datum_ids: ['row-5'] }))).toBe(404);
    },
  },
  'maps.data.rows': {
    readBack: 'maps.data.get',
    async run(at) {
      const { project } = await at.map();
      const { data: found } = await at.invoke('maps.data.rows', { dataset_id: project, field: 'text', value: `${words[4]} number 4` });
      const { datums } = await at.invoke('maps.data.get', { project_id: project, datum_ids: ['row-4'] });
      expect(found).toEqual(datums);
      expect(await at.refused(at.invoke('maps.data.rows', { dataset_id: project, field: 'no-column', value: 'x' }))).toBe(422);
    },
  },
  'maps.data.get': {
    readBack: 'maps.data.atoms',
    async run(at) {
      const { project, index } = await at.map();
      const { datums } = await at.invoke('maps.data.get', { project_id: project, datum_ids: ['row-8', 'row-2'] });
      expect(datums).toMatchObject(rowsOf(8, 2));
      const { atoms } = await at.invoke('maps.data.atoms', { project_id: project, index_id: index, atom_ids: ['row-8', 'row-2'] });
      expect([atoms['row-8'], atoms['row-2']]).toEqual(datums);
      expect(await at.refused(at.invoke('maps.data.get', { project_id: project, datum_ids: ['row-1', 'no-row'] }))).toBe(404);
    },
  },
  'maps.data.delete': {
    readBack: 'maps.data.get',
    async run(at) {
      const { project } = await mapOf(at);
      const read = (id: string) => at.invoke('maps.data.get', { project_id: project, datum_ids: [id] });
      await at.invoke('maps.data.delete', { project_id: project, datum_ids: ['row-4'] });
      expect((await read('row-4')).datums).toMatchObject(rowsOf(4));
      await at.invoke('maps.indices.update', { project_id: project });
      expect((await settled(at, project)).total_datums_in_project).toBe(29);
      expect(await at.refused(read('row-4'))).toBe(404);
      expect((await read('row-5')).datums).toMatchObject(rowsOf(5));
      expect(await at.refused(at.invoke('maps.data.delete', { project_id: nowhere, datum_ids: ['row-4'] }))).toBe(404);
    },
  },
  'maps.data.lastModified': {
    readBack: 'maps.data.addArrow',
    async run(at) {
      const dataset_id = await datasetOf(at, 2);
      const before = await at.invoke('maps.data.lastModified', { dataset_id });
      const added = await at.invoke('maps.data.addArrow', { body: at.shardOf(dataset_id, 1, { from: 2 }) });
      const after = await at.invoke('maps.data.lastModified', { dataset_id });
      expect(after.latest_addition_timestamp).toBe(added!.latest_addition_timestamp);
      expect(after.latest_addition_timestamp).toBeGreaterThan(before.latest_addition_timestamp!);
      expect(await at.refused(at.invoke('maps.data.lastModified', { dataset_id: nowhere }))).toBe(404);
    },
  },
  'maps.data.datums': {
    readBack: 'maps.data.get',
    async run(at) {
      const { project, map } = await at.map();
      const rowsAt = async (...qids: string[]) =>
        (await at.invoke('maps.data.datums', { map_id: map, qids, response_type: 'json' })) as { id: string; text: string }[];
      const rows = [...(await rowsAt('0-7')), ...(await rowsAt('0-1')), ...(await rowsAt('0-4'))];
      const { datums } = await at.invoke('maps.data.get', { project_id: project, datum_ids: rows.map(({ id }) => id) });
      expect(rows.map(({ id, text }) => [id, text])).toEqual(datums.map(({ id, text }) => [id, text]));
      // In the order of the request, in either form.
      expect(await rowsAt('0-7', '0-1', '0-4')).toEqual(rows);
      const table = tableFromIPC((await at.invoke('maps.data.datums', { map_id: map, qids: ['0-7', '0-1', '0-4'] })) as Uint8Array);
      expect([...table.getChild('id')!]).toEqual(rows.map(({ id }) => id));
      expect(await at.refused(at.invoke('maps.data.datums', { map_id: map, qids: ['9-9'] }))).toBe(404);
    },
  },
  'maps.data.atoms': {
    readBack: 'maps.data.get',
    async run(at) {
      const { project, index } = await at.map();
      const named = { project_id: project, index_id: index };
      const { atoms } = await at.invoke('maps.data.atoms', { ...named, atom_ids: ['row-6'] });
      const { datums } = await at.invoke('maps.data.get', { project_id: project, datum_ids: ['row-6'] });
      expect(Object.entries(atoms)).toEqual([['row-6', datums[0]]]);
      expect(atoms['row-6']).toMatchObject(rowsOf(6)[0]!);
      expect(await at.refused(at.invoke('maps.data.atoms', { ...named, atom_ids: ['no-row'] }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
