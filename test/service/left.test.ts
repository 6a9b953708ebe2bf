import { expect, test } from 'vitest';
import { ApiError } from '../../client/errors.ts';
import type { InputOf } from '../../client/invoke.ts';
import type { OperationName } from '../../contracts/index.ts';
import { signIn } from '../support/sign-in.ts';
import type { MapsOperation } from './named-places.ts';
import { callsOf, createWorld, type World } from './world.ts';

type OfOrganization = Extract<MapsOperation, `maps.documents.${string}` | `maps.embedding.${string}`>;

/** What names no organization: it is of the one that a key acts for. */
const calls = (file_url: string, task_id: string): { [N in OfOrganization]: InputOf<N> } => ({
  'maps.documents.upload': { files: [{ id: 'a.txt', size: 1, content_type: 'text/plain' }] },
  'maps.documents.parse': { file_url },
  'maps.documents.extract': { file_urls: [file_url], extraction_schema: { type: 'object', properties: { name: { type: 'string' } } } },
  'maps.documents.status': { task_id },
  'maps.documents.events': {},
  'maps.documents.cancel': { task_id },
  'maps.embedding.text': { texts: ['a'] },
  'maps.embedding.image': { model: 'svc-embed-vision-v1', images: [new Blob(['x'])] },
});

/** The calls that a key or token is refused by 403. */
async function refused(world: World, key: string, asked: ReturnType<typeof calls>): Promise<string[]> {
  const { invoke } = callsOf(world, key);
  const found: string[] = [];
  for (const [name, input] of Object.entries(asked))
    await invoke(name as OperationName, input).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 403) found.push(name);
    });
  return found;
}

test('who was removed from an organization has its documents and its account no more, by a key or signed in', async () => {
  await using world = await createWorld();
  await world.service.listen();
  const { invoke } = callsOf(world, world.service.adminKeys.maps);
  const { files } = await invoke('maps.documents.upload', { files: [{ id: 'plan.txt', size: 4, content_type: 'text/plain' }] });
  const file_url = files[0]!.svc_url!;
  const asked = calls(file_url, (await invoke('maps.documents.parse', { file_url })).task_id);
  const { id: user_id } = (await world.api.post('/__control/users', { name: 'eve', email: 'eve@example.com' })).body;
  const { key } = (await world.api.post('/__control/keys', { service: 'maps', name: 'eve', user: user_id })).body;
  const eve = callsOf(world, key);
  const code = await signIn((await eve.invoke('maps.identity.authorize', {})).authorization_url, key);
  const { access_token } = await eve.invoke('maps.identity.token', { code });
  const { organization_id } = world.organization;
  const own = (await eve.invoke('maps.user.get', {})).organizations.find((each) => each.organization_id !== organization_id)!;
  const ofOwn = (await eve.invoke('maps.keys.create', { organization_id: own.organization_id, key_name: 'mine' })).key;
  expect([await refused(world, key, asked), await refused(world, access_token, asked)]).toEqual([[], []]);

  await invoke('maps.members.remove', { organization_id, user_id });
  const all = Object.keys(asked);
  expect([await refused(world, key, asked), await refused(world, access_token, asked)]).toEqual([all, all]);
  // The own organization is left as it was: only a file of another is refused there.
  expect(await refused(world, ofOwn, asked)).toEqual(['maps.documents.parse', 'maps.documents.extract']);

  await invoke('maps.members.add', { organization_id, user_id, access_role: 'MEMBER' });
  expect([await refused(world, key, asked), await refused(world, access_token, asked)]).toEqual([[], []]);
});
