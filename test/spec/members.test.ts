import { expect } from 'vitest';
import { addPerson, refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

/** An organization of the owner with two members. */
async function createTeam(nickname: string) {
  const { invoke } = place().calls;
  const { organization_id } = await invoke('maps.organizations.create', { nickname });
  const [leaver, stayer] = [await addPerson(place(), `${nickname}-leaver`), await addPerson(place(), `${nickname}-stayer`)];
  for (const { id: user_id } of [leaver, stayer]) await invoke('maps.members.add', { organization_id, user_id, access_role: 'MEMBER' });
  const members = async (): Promise<string[]> =>
    (await invoke('maps.organizations.get', { organization_id_or_slug: organization_id })).members!.map(({ user_id }) => user_id);
  const { sub: owner } = await invoke('maps.user.get', {});
  return { organization_id, owner, leaver, stayer, members };
}

/** Who was removed is a member no more, of this organization alone; who was not still is one. */
async function expectRemoved({ organization_id, owner, leaver, stayer, members }: Awaited<ReturnType<typeof createTeam>>): Promise<void> {
  const usage = { organization_id_or_slug: organization_id };
  expect(await members()).toEqual([owner, stayer.id]);
  expect((await refusalOf(leaver.invoke('maps.usage.recent', usage))).status).toBe(403);
  await stayer.invoke('maps.usage.recent', usage);
  const { sub, organizations } = await leaver.invoke('maps.user.get', {});
  expect(sub).toBe(leaver.id);
  expect(organizations.map((each) => each.organization_id)).toContain(place().organization.organization_id);
}

proves(['maps:POST /v1/organization/members/delete.1'], 'who is deleted from the members has left the organization', async () => {
  const team = await createTeam('orchard');
  const { organization_id, leaver, members } = team;
  expect(await members()).toContain(leaver.id);
  await place().calls.invoke('maps.members.remove', { organization_id, user_id: leaver.id });
  await expectRemoved(team);
});

proves(
  ['maps:POST /v1/organization/members/remove.1'],
  'who is removed at the deprecated address has left the organization too',
  async () => {
    const team = await createTeam('apiary');
    const { organization_id, leaver, members } = team;
    expect(await members()).toContain(leaver.id);
    await place().api.post('/v1/organization/members/remove', { organization_id, user_id: leaver.id });
    await expectRemoved(team);
  },
);
