import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

/** What is done while the blobs of the service cannot be deleted, since something else has the place of their folder. */
async function withoutBlobs(act: () => Promise<void>): Promise<void> {
  const folder = join(place().dataDir, 'blobs');
  renameSync(folder, `${folder}.aside`);
  writeFileSync(folder, '');
  await act().finally(() => {
    rmSync(folder);
    renameSync(`${folder}.aside`, folder);
  });
}

proves(
  ['maps:POST /v1/project/remove.1'],
  'a removal also deletes, in the background, what is left of projects whose removal failed half-way',
  async () => {
    const { calls, organization, dataDir } = place();
    const { invoke } = calls;
    mkdirSync(join(dataDir, 'blobs'), { recursive: true });
    const create = async (project_name: string): Promise<{ project_id: string; url: string }> => {
      const { project_id } = await invoke('maps.projects.create', { organization_id: organization.organization_id, project_name });
      const { hashes } = await invoke('maps.blobs.add', { dataset_id: project_id, blobs: ['bytes'] });
      const { url } = await invoke('maps.blobs.get', { dataset_id: project_id, blob_hash: hashes[0]! });
      return { project_id, url };
    };
    const [half, kept, other] = [await create('half removed'), await create('kept'), await create('removed whole')];
    const isThere = async ({ url }: { url: string }): Promise<boolean> => (await fetch(url)).ok;
    await withoutBlobs(async () => {
      expect((await refusalOf(invoke('maps.projects.remove', { project_id: half.project_id }))).status).toBe(500);
    });
    expect([await isThere(half), await isThere(other)]).toEqual([true, true]);
    await invoke('maps.projects.remove', { project_id: other.project_id });
    expect(await isThere(other)).toBe(false);
    await expect.poll(() => isThere(half)).toBe(false);
    expect(await isThere(kept)).toBe(true);
  },
);
