import { expect, test } from 'vitest';
import type { Calls, InputOf } from '../../client/invoke.ts';
import { callsOf, createWorld, type World } from './world.ts';

type Invoke = Calls['invoke'];

const invokeWith = (world: World, key: string): Invoke => callsOf(world, key).invoke;

/** An organization of the first user, and two users who are no members of it, each with a key of their own. */
async function createTeam() {
  const world = await createWorld();
  await world.service.listen();
  const owner = invokeWith(world, world.service.adminKeys.maps);
  const { organization_id } = await owner('maps.organizations.create', { nickname: 'Orchard' });
  const addUser = async (name: string) => {
    const { id } = (await world.api.post('/__control/users', { name, email: `${name}@example.com` })).body as { id: string };
    const { key } = (await world.api.post('/__control/keys', { service: 'maps', name, user: id })).body as { key: string };
    return { id, invoke: invokeWith(world, key) };
  };
  const members = async (invoke: Invoke = owner) =>
    (await invoke('maps.organizations.get', { organization_id_or_slug: organization_id })).members?.map((each) => [
      each.nickname,
      each.access_role,
    ]);
  return {
    world,
    owner,
    organization_id,
    ann: await addUser('ann'),
    bob: await addUser('bob'),
    members,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    (error: unknown) => (error as { status: number }).status,
  );

test('anybody is added by the email that the service itself shows, whatever its host', async () => {
  await using team = await createTeam();
  const { owner, ann } = team;
  const { email } = await owner('maps.user.get', {});
  const { organization_id } = await ann.invoke('maps.organizations.create', { nickname: 'Pears' });
  const member = { organization_id, access_role: 'MEMBER' } as const;
  expect(await statusOf(ann.invoke('maps.members.add', { ...member, email: email! }))).toBe(200);
  expect(await statusOf(ann.invoke('maps.members.add', { ...member, email: 'nobody' }))).not.toBe(404);
});

test('a member is added by id or by email, sees the organization as members do, gets another role, and is removed', async () => {
  await using team = await createTeam();
  const { owner, organization_id, ann, bob, members } = team;
  expect(await members(ann.invoke)).toBeUndefined();
  await owner('maps.members.add', { organization_id, access_role: 'MEMBER', user_id: ann.id });
  await owner('maps.members.add', { organization_id, access_role: 'ADMIN', email: 'Bob@example.com' });
  expect(await members(ann.invoke)).toEqual([
    ['local', 'OWNER'],
    ['ann', 'MEMBER'],
    ['bob', 'ADMIN'],
  ]);
  await owner('maps.members.update', { organization_id, user_id: ann.id, access_role: 'ADMIN' });
  await owner('maps.members.remove', { organization_id, user_id: bob.id });
  expect(await members()).toEqual([
    ['local', 'OWNER'],
    ['ann', 'ADMIN'],
  ]);
  expect(await members(bob.invoke)).toBeUndefined();
  const own = (await bob.invoke('maps.user.get', {})).default_organization!;
  await owner('maps.members.remove', { organization_id: own, user_id: bob.id });
  expect((await bob.invoke('maps.user.get', {})).default_organization).not.toBe(own);
  expect((await ann.invoke('maps.user.get', {})).organizations.find((each) => each.organization_id === organization_id)).toMatchObject({
    access_role: 'ADMIN',
    permissions: { 'organization:members:write': true, 'organization:billing:write': false },
  });
});

test('what is said a second time changes nothing; another role by adding is refused', async () => {
  await using team = await createTeam();
  const { world, owner, organization_id, ann } = team;
  const add = (access_role: InputOf<'maps.members.add'>['access_role']) =>
    owner('maps.members.add', { organization_id, access_role, user_id: ann.id });
  await add('MEMBER');
  await add('MEMBER');
  expect(await statusOf(add('ADMIN'))).toBe(409);
  await owner('maps.members.update', { organization_id, user_id: ann.id, access_role: 'MEMBER' });
  const { rows } = (await world.api.get('/__control/journal')).body as { rows: { operation: string; changed: number }[] };
  expect(
    rows.filter(({ operation }) => operation.startsWith('maps.members.')).map(({ operation, changed }) => [operation, changed]),
  ).toEqual([
    ['maps.members.add', 1],
    ['maps.members.add', 0],
    ['maps.members.update', 0],
  ]);
});

test('only administrators change members, nobody gives or takes a role above their own, and everybody may leave', async () => {
  await using team = await createTeam();
  const { world, owner, organization_id, ann, bob, members } = team;
  await owner('maps.members.add', { organization_id, access_role: 'MEMBER', user_id: ann.id });
  const bobs = { organization_id, user_id: bob.id };
  const { sub } = await owner('maps.user.get', {});
  expect(await statusOf(ann.invoke('maps.members.add', { ...bobs, access_role: 'MEMBER' }))).toBe(403);
  expect(await statusOf(bob.invoke('maps.members.add', { ...bobs, access_role: 'MEMBER' }))).toBe(403);
  // Nor does anybody else learn by a refusal who is a member.
  for (const user_id of [ann.id, sub, bob.id])
    expect(await statusOf(bob.invoke('maps.members.update', { organization_id, user_id, access_role: 'MEMBER' }))).toBe(403);
  await owner('maps.members.update', { organization_id, user_id: ann.id, access_role: 'ADMIN' });
  expect(await statusOf(ann.invoke('maps.members.add', { ...bobs, access_role: 'OWNER' }))).toBe(403);
  await ann.invoke('maps.members.add', { ...bobs, access_role: 'ADMIN' });
  expect(await statusOf(ann.invoke('maps.members.update', { organization_id, user_id: sub, access_role: 'MEMBER' }))).toBe(403);
  expect(await statusOf(ann.invoke('maps.members.remove', { organization_id, user_id: sub }))).toBe(403);
  // A key of lower role than its user does no more than the role.
  const { body } = await world.api.post(`/v1/user/authorization/keys/${organization_id}/create`, { key_name: 'low', key_role: 'MEMBER' });
  expect(await statusOf(invokeWith(world, body.key)('maps.members.remove', bobs))).toBe(403);
  await ann.invoke('maps.members.update', { ...bobs, access_role: 'MEMBER' });
  await bob.invoke('maps.members.remove', bobs);
  expect(await members()).toEqual([
    ['local', 'OWNER'],
    ['ann', 'ADMIN'],
  ]);
});

test('the last owner stays, until there is another', async () => {
  await using team = await createTeam();
  const { owner, organization_id, ann, members } = team;
  const { sub } = await owner('maps.user.get', {});
  const last = { organization_id, user_id: sub };
  expect(await statusOf(owner('maps.members.remove', last))).toBe(409);
  expect(await statusOf(owner('maps.members.update', { ...last, access_role: 'ADMIN' }))).toBe(409);
  await owner('maps.members.add', { organization_id, access_role: 'OWNER', user_id: ann.id });
  await owner('maps.members.remove', last);
  expect(await members(ann.invoke)).toEqual([['ann', 'OWNER']]);
});

test('who is nobody is not found, and one of id and email says who', async () => {
  await using team = await createTeam();
  const { owner, organization_id, ann } = team;
  const add = (who: { user_id?: string; email?: string }) => owner('maps.members.add', { organization_id, access_role: 'MEMBER', ...who });
  expect(await statusOf(add({ email: 'nobody@example.com' }))).toBe(404);
  expect(await statusOf(add({ user_id: '00000000-0000-4000-8000-000000000000' }))).toBe(404);
  expect(await statusOf(add({}))).toBe(422);
  expect(await statusOf(add({ user_id: ann.id, email: 'ann@example.com' }))).toBe(422);
  expect(await statusOf(owner('maps.members.update', { organization_id, user_id: ann.id, access_role: 'ADMIN' }))).toBe(404);
  expect(await statusOf(owner('maps.members.remove', { organization_id, user_id: ann.id }))).toBe(404);
});

test('names of the text that are deprecated, or an alias, do the same', async () => {
  await using team = await createTeam();
  const { world, owner, organization_id, ann, members } = team;
  await owner('maps.members.add', { organization_id, access_role: 'MEMBER', user_id: ann.id });
  const post = async (path: string, body: object): Promise<number> => (await world.api.post(`/v1/organization/${path}`, body)).status;
  expect(await post('members/modify', { organization_id, user_id: ann.id, access_role: 'ADMIN' })).toBe(200);
  expect(await members()).toContainEqual(['ann', 'ADMIN']);
  expect(await post('members/remove', { organization_id, user_id: ann.id })).toBe(200);
  expect(await members()).toEqual([['local', 'OWNER']]);
  expect(await post('rename', { organization_id, new_organization_nickname: 'Grove' })).toBe(200);
  expect((await owner('maps.organizations.get', { organization_id_or_slug: organization_id })).nickname).toBe('Grove');
});

test('an organization is found by its slug by everybody, and changed by its administrators: what is left out stays', async () => {
  await using team = await createTeam();
  const { world, owner, organization_id, ann } = team;
  const nobody = await world.service.fetch(new Request('http://127.0.0.1/v1/organization/search/orchard'));
  expect([nobody.status, await nobody.json()]).toEqual([200, { organization_id }]);
  expect(await statusOf(owner('maps.organizations.search', { slug: 'nowhere' }))).toBe(404);
  const update = (changes: object, invoke = owner) => invoke('maps.organizations.update', { organization_id, ...changes });
  await update({ new_organization_description: 'Trees', new_organization_slug: 'Old Orchard' });
  await update({ new_organization_type: 'academic' });
  expect(await owner('maps.organizations.get', { organization_id_or_slug: 'old-orchard' })).toMatchObject({
    nickname: 'Orchard',
    description: 'Trees',
    organization_type: 'academic',
    access_role: 'OWNER',
    plan_type: 'free',
  });
  expect(await statusOf(update({ new_organization_slug: 'local' }))).toBe(409);
  expect(await statusOf(update({ new_organization_slug: world.organization.organization_id }))).toBe(422);
  await owner('maps.members.add', { organization_id, access_role: 'MEMBER', user_id: ann.id });
  expect(await statusOf(update({ new_organization_nickname: 'Mine' }, ann.invoke))).toBe(403);
});
