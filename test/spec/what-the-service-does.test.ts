import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished } from 'vitest';
import type { Calls } from '../../client/invoke.ts';
import { callsOf, createMap, createWorld, indexOrder, shardOf } from '../service/world.ts';
import { picture } from '../support/pictures.ts';
import { documentOf } from '../service/parsing.ts';
import { everything } from './map-points.ts';
import { addPerson, makeKey, refusalOf, updateMaps, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

/** A service on a folder, until the block ends. */
const startOn = async (dataDir: string) => {
  const world = await createWorld({ dataDir });
  await world.service.listen();
  return { world, ...callsOf(world, world.service.adminKeys.maps), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
};

/** A dataset, two of its points, and what is nearest to one of them. */
async function lookAt({ invoke }: Calls, project_id: string) {
  const { owner, total_datums_in_project, atlas_indices } = await invoke('maps.projects.get', { project_id });
  const { datums } = await invoke('maps.data.get', { project_id, datum_ids: ['row-3', 'row-24'] });
  const near = { atlas_index_id: atlas_indices[0]!.id, datum_ids: ['row-3'], k: 3 };
  const { neighbors, distances } = await invoke('maps.neighbors.byId', near);
  return { owner, total_datums_in_project, datums, neighbors, distances };
}

proves(
  ['maps:what-the-service-does/1'],
  'a dataset of an organization, its points and their embeddings are kept, whatever starts and ends in between',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'portolan-spec-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const before = await (async () => {
      await using first = await startOn(dataDir);
      const { project_id } = await createMap(first.world, 25);
      return { project_id, seen: await lookAt(first, project_id), ...first.world.organization };
    })();
    expect(before.seen).toMatchObject({
      owner: before.organization_id,
      total_datums_in_project: 25,
      datums: [
        { id: 'row-3', text: 'cook number 3', year: 1903 },
        { id: 'row-24', text: 'engine number 24', year: 1924 },
      ],
    });
    // By their embeddings: the other two texts about a cook.
    expect(before.seen.neighbors[0]).toEqual(expect.arrayContaining(['row-12', 'row-21']));
    await using second = await startOn(dataDir);
    expect(await lookAt(second, before.project_id)).toEqual(before.seen);
  },
);

proves(
  ['maps:what-the-service-does/4', 'maps:what-the-service-does/3'],
  'an organization, its members and its usage are managed by its owner',
  async () => {
    const { invoke } = place().calls;
    const { organization_id } = await invoke('maps.organizations.create', { nickname: 'Managed' });
    const named = { organization_id_or_slug: organization_id };
    await invoke('maps.organizations.update', { organization_id, new_organization_description: 'by hand' });
    expect(await invoke('maps.organizations.get', named)).toMatchObject({ nickname: 'Managed', description: 'by hand' });
    const { id: user_id } = await addPerson(place(), 'managed');
    const seats = async (): Promise<unknown> => (await invoke('maps.usage.recent', named)).organization_seats;
    await invoke('maps.members.add', { organization_id, user_id, access_role: 'MEMBER' });
    expect(await seats()).toBe(2);
    await invoke('maps.members.update', { organization_id, user_id, access_role: 'ADMIN' });
    expect((await invoke('maps.organizations.get', named)).members).toMatchObject([
      { access_role: 'OWNER' },
      { user_id, access_role: 'ADMIN' },
    ]);
    await invoke('maps.members.remove', { organization_id, user_id });
    expect(await seats()).toBe(1);
  },
);

proves(['maps:what-the-service-does/5'], 'keys are created, listed and deleted', async () => {
  const { calls, organization } = place();
  const { organization_id } = organization;
  const listed = async () =>
    (await calls.invoke('maps.keys.list', { organization_id })).keys.filter(({ key_name }) => key_name === 'passing');
  expect(await listed()).toEqual([]);
  const { key, invoke } = await makeKey(place(), { key_name: 'passing' });
  const { sub } = await invoke('maps.user.get', {});
  expect(await listed()).toMatchObject([{ key_name: 'passing', user_id: sub, suffix: key.slice(-4) }]);
  await calls.invoke('maps.keys.remove', { organization_id, key_name: 'passing' });
  expect(await listed()).toEqual([]);
  expect((await refusalOf(invoke('maps.user.get', {}))).status).toBe(401);
});

proves(['maps:what-the-service-does/6'], 'a dataset is created, filled, mapped, changed, thinned out and removed', async () => {
  const { api, calls, organization } = place();
  const { invoke } = calls;
  const { organization_id } = organization;
  const { project_id } = await invoke('maps.projects.create', { organization_id, project_name: 'life', unique_id_field: 'id' });
  await invoke('maps.data.addArrow', { body: shardOf(project_id, 25) });
  const { projection_id, job_id } = await invoke('maps.indices.create', indexOrder(project_id));
  const { index_id } = await invoke('maps.indices.job', { job_id });
  await expect.poll(async () => (await invoke('maps.indices.progress', { index_id })).index_build_stage).toBe('Completed');
  const mapped = () => invoke('maps.query.select', { projection_id: projection_id!, selection: everything });
  expect(await mapped()).toHaveLength(25);
  await invoke('maps.data.delete', { project_id, datum_ids: ['row-7'] });
  await updateMaps(calls, project_id);
  expect(await mapped()).toHaveLength(24);
  expect(await mapped()).not.toContain('row-7');
  await invoke('maps.projects.update', { project_id, id: project_id, project_name: 'later life' });
  expect(await invoke('maps.projects.get', { project_id })).toMatchObject({ project_name: 'later life', total_datums_in_project: 24 });
  await invoke('maps.projects.remove', { project_id });
  expect((await api.get(`/v1/project/${project_id}`)).status).toBe(404);
});

proves(['maps:what-the-service-does/10'], 'images have vectors by which one is nearest to itself in another encoding', async () => {
  const { invoke } = place().calls;
  const pictures = [await picture(1), await picture(4), await picture(7)];
  const again = await sharp(pictures[1]).jpeg({ quality: 80 }).toBuffer();
  const images = [...pictures, again].map((bytes) => new Blob([new Uint8Array(bytes)]));
  const { embeddings } = await invoke('maps.embedding.image', { images });
  const [last, ...others] = [embeddings[3]!, ...embeddings.slice(0, 3)];
  const alike = others.map((each) => each.reduce((sum, value, at) => sum + value * last[at]!, 0));
  expect(alike.indexOf(Math.max(...alike))).toBe(1);
});

proves(
  ['maps:what-the-service-does/11'],
  'a file is parsed into chunks, with summaries of tables and figures where they are wanted',
  async () => {
    const file = {
      bytes: '# Harbour\n\nShips pay.\n\n| Size | Fee |\n| --- | --- |\n| 10 m | 4 |\n\n![a plan](x.png)\n',
      type: 'text/markdown',
    };
    const summaries = async (on: boolean) => {
      const { chunks } = await documentOf(place(), file, { table_summary: { enabled: on }, figure_summary: { enabled: on } });
      expect(chunks.map(({ content }) => content).join(' ')).toContain('Ships pay.');
      return chunks.flatMap(({ blocks }) => blocks.flatMap(({ type, summary }) => (summary ? [type] : [])));
    };
    expect(await summaries(true)).toEqual(['Table', 'Figure']);
    expect(await summaries(false)).toEqual([]);
  },
);
