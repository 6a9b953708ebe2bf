import { expect } from 'vitest';
import { nowhere } from './made.ts';
import type { Rows } from './row.ts';

const text = (name: string, content = name): File => new File([content], name, { type: 'text/plain' });

export const instanceFiles = {
  'instance.files.search': {
    readBack: 'instance.files.status',
    async run(at) {
      const made = await at.invoke('instance.files.upload', { file: text('Searched for.txt') });
      const { data } = await at.invoke('instance.files.search', { query: 'sEARCHED f' });
      expect(data).toMatchObject([{ id: made.id, name: 'Searched for.txt', mimeType: 'text/plain', parentId: null }]);
      expect(data[0]!.path).toBe('/files/Searched%20for.txt');
      expect(await at.invoke('instance.files.status', { id: data[0]!.id })).toEqual({ id: made.id, status: 'ready' });
      const { token } = await at.user({ service: 'instance', scopes: ['developer:parse'] });
      expect(await at.refused(at.withKey(token)('instance.files.search', { query: 'x' }))).toBe(403);
    },
  },
  'instance.files.status': {
    readBack: 'instance.files.search',
    async run(at) {
      const { id } = await at.invoke('instance.files.upload', { file: text('status.txt') });
      expect(await at.invoke('instance.files.status', { id })).toEqual({ id, status: 'ready' });
      expect((await at.invoke('instance.files.search', { query: 'status.txt' })).data.map((each) => each.id)).toEqual([id]);
      expect(await at.refused(at.invoke('instance.files.status', { id: nowhere }))).toBe(404);
    },
  },
  'instance.files.tempFolder': {
    readBack: 'instance.files.search',
    async run(at) {
      const { id } = await at.invoke('instance.files.tempFolder', {});
      await at.invoke('instance.files.upload', { file: text('in-temp.txt'), parentId: id });
      const { data } = await at.invoke('instance.files.search', { query: 'in-temp' });
      expect(data).toMatchObject([{ name: 'in-temp.txt', parentId: id }]);
      const { token } = await at.user({ service: 'instance', scopes: ['developer:files'] });
      expect(await at.refused(at.withKey(token)('instance.files.tempFolder', {}))).toBe(403);
    },
  },
  'instance.files.upload': {
    readBack: 'instance.files.search',
    async run(at) {
      const made = await at.invoke('instance.files.upload', { file: text('seven.txt', '7 bytes'), path: 'reports/2026/seven.txt' });
      expect(made).toMatchObject({ name: 'seven.txt', mimeType: 'text/plain', size: 7, fileType: 'DOCUMENT', status: 'ready' });
      const { data } = await at.invoke('instance.files.search', { query: 'seven.txt' });
      expect(data).toMatchObject([{ id: made.id, parentId: made.parentId, path: '/files/reports/2026/seven.txt' }]);
      expect(await at.refused(at.invoke('instance.files.upload', { file: text('empty.txt', '') }))).toBe(400);
    },
  },
} satisfies Partial<Rows>;
