import { expect } from 'vitest';
import { shardOf } from '../service/world.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(
  ['maps:POST /v1/project/{dataset_id}/data/upload/start.1'],
  'a multipart upload begins with a URL for each part, which takes it without a key, and its rows are those of the file',
  async () => {
    const { calls, organization } = place();
    const { invoke } = calls;
    const { project_id: dataset_id } = await invoke('maps.projects.create', {
      organization_id: organization.organization_id,
      project_name: 'parts',
      unique_id_field: 'id',
    });
    const file = shardOf(dataset_id, 40);
    const part_size = Math.ceil(file.byteLength / 3) + 1;
    const plan = await invoke('maps.uploads.start', { dataset_id, file_type: 'feather', file_size: file.byteLength, part_size });
    expect(plan.part_urls.map(({ part_number }) => part_number)).toEqual([1, 2, 3]);
    expect(new Set(plan.part_urls.map(({ url }) => url)).size).toBe(3);
    const part_etags = [];
    for (const { part_number, url } of plan.part_urls) {
      const part = file.slice((part_number - 1) * part_size, part_number * part_size);
      expect((await fetch(url.replace(/\?.*/, ''), { method: 'PUT', body: part })).ok).toBe(false);
      const { ok, headers } = await fetch(url, { method: 'PUT', body: part });
      expect([part_number, ok]).toEqual([part_number, true]);
      part_etags.push({ part_number, etag: headers.get('etag')! });
    }
    const { upload_id, object_id } = plan;
    await invoke('maps.uploads.complete', { dataset_id, upload_id, object_id, part_etags, file_type: 'feather' });
    expect((await invoke('maps.projects.get', { project_id: dataset_id })).total_datums_in_project).toBe(40);
  },
);
