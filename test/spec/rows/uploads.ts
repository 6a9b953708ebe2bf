import { expect } from 'vitest';
import { datasetOf } from './made.ts';
import type { Rows, Shown } from './row.ts';

/** An upload of one further row in two parts, both sent; the number of URLs that it was given. */
async function uploadOf(at: Shown, dataset_id: string) {
  const file = at.shardOf(dataset_id, 1, { from: 10 });
  const part_size = Math.ceil(file.byteLength / 2);
  const sizes = { file_type: 'feather', file_size: file.byteLength, part_size };
  const { upload_id, object_id, part_urls } = await at.invoke('maps.uploads.start', { dataset_id, ...sizes });
  const part_etags: { part_number: number; etag: string }[] = [];
  for (const { part_number, url } of part_urls) {
    const body = Buffer.from(file.subarray((part_number - 1) * part_size, part_number * part_size));
    const { headers } = await fetch(url, { method: 'PUT', body });
    part_etags.push({ part_number, etag: headers.get('etag')! });
  }
  return { urls: part_urls.length, completion: { dataset_id, upload_id, object_id, part_etags, file_type: 'feather' } };
}

export const uploads = {
  'maps.uploads.start': {
    readBack: 'maps.uploads.complete',
    async run(at) {
      const dataset_id = await datasetOf(at);
      const { urls, completion } = await uploadOf(at, dataset_id);
      expect(urls).toBe(2);
      await at.invoke('maps.uploads.complete', completion);
      expect((await at.invoke('maps.projects.get', { project_id: dataset_id })).total_datums_in_project).toBe(5);
      expect(await at.refused(at.invoke('maps.uploads.start', { dataset_id, file_type: 'no-type', file_size: 10 }))).toBe(422);
    },
  },
  'maps.uploads.complete': {
    readBack: 'maps.data.get',
    async run(at) {
      const dataset_id = await datasetOf(at);
      const { completion } = await uploadOf(at, dataset_id);
      const read = () => at.invoke('maps.data.get', { project_id: dataset_id, datum_ids: ['row-10'] });
      const wrong = completion.part_etags.map((part) => ({ ...part, etag: '"no-etag"' }));
      expect(await at.refused(at.invoke('maps.uploads.complete', { ...completion, part_etags: wrong }))).toBe(422);
      expect(await at.refused(read())).toBe(404);
      await at.invoke('maps.uploads.complete', completion);
      expect((await read()).datums).toMatchObject([{ id: 'row-10', year: 1910 }]);
    },
  },
} satisfies Partial<Rows>;
