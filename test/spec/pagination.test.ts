import { expect } from 'vitest';
import { createProject } from '../service/world.ts';
import { misfitsOf } from './misfits.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(
  ['maps:limits/pagination-via-offset_number-integer-default-0-and-limit-integer-or-null'],
  'an organization is read by pages of its datasets, from the first on and to the last where nothing else is said, and what it has used by pages of models',
  async () => {
    const { calls, api, organization } = place();
    const made: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.push((await createProject(place(), name)).project_id);
    const page = async (more: { offset_number?: number; limit?: number | null }) =>
      (await calls.invoke('maps.organizations.get', { organization_id_or_slug: organization.slug, ...more })).projects.map(({ id }) => id);
    expect(await page({})).toEqual(made);
    expect(await page({ limit: null })).toEqual(made);
    expect(await page({ limit: 2 })).toEqual(made.slice(0, 2));
    expect(await page({ offset_number: 0, limit: 2 })).toEqual(made.slice(0, 2));
    expect(await page({ offset_number: 3 })).toEqual(made.slice(3));
    expect(await page({ offset_number: 1, limit: 3 })).toEqual(made.slice(1, 4));
    expect(await page({ offset_number: 5, limit: 3 })).toEqual([]);
    for (const model of ['svc-embed-text-v1', 'svc-embed-text-v1.5'] as const)
      await calls.invoke('maps.embedding.text', { texts: ['a'], model });
    const models = async (more: { offset_number?: number; limit?: number | null }) =>
      (await calls.invoke('maps.usage.recent', { organization_id_or_slug: organization.slug, ...more })).embedding_models;
    const [first, second] = await models({});
    expect([await models({ limit: 1 }), await models({ offset_number: 1 }), await models({ limit: null })]).toEqual([
      [first],
      [second],
      [first, second],
    ]);
    const path = `/v1/organization/${organization.slug}`;
    for (const read of [path, `${path}/usage`, `${path}/usage2`, `${path}/usage/text_tokens/within_limit`]) {
      expect(misfitsOf(await api.get(`${read}?offset_number=0&limit=10`))).toEqual([200]);
      for (const value of ['x', '1.5'])
        expect(misfitsOf(await api.get(`${read}?offset_number=${value}&limit=${value}`))).toEqual([
          422,
          'query.offset_number',
          'query.limit',
        ]);
    }
  },
);
