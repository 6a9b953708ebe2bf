import { expect } from 'vitest';
import { addPerson, makeKey, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(['maps:GET /v1/user/.1'], 'the user whose key it is is shown, with the organizations of that user', async () => {
  const { calls, organization } = place();
  const [ann, bob] = [await addPerson(place(), 'ann'), await addPerson(place(), 'bob')];
  const { organization_id } = await ann.invoke('maps.organizations.create', { nickname: 'of Ann alone' });
  const annSees = await ann.invoke('maps.user.get', {});
  const bobSees = await bob.invoke('maps.user.get', {});
  expect(annSees).toMatchObject({ sub: ann.id, email: 'ann@example.com' });
  expect(bobSees).toMatchObject({ sub: bob.id, email: 'bob@example.com' });
  const idsOf = ({ organizations }: typeof annSees): string[] => organizations.map((each) => each.organization_id);
  expect(idsOf(annSees)).toEqual(expect.arrayContaining([organization_id, organization.organization_id]));
  expect(idsOf(bobSees)).not.toContain(organization_id);
  const owner = await calls.invoke('maps.user.get', {});
  expect([ann.id, bob.id]).not.toContain(owner.sub);
  // Another key of the same user is of the same user.
  const { invoke } = await makeKey(place(), { key_name: 'other key' });
  expect(await invoke('maps.user.get', {})).toEqual(owner);
});
