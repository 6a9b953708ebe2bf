import { afterEach, expect } from 'vitest';
import { makeKey, usePlace, watchedCalls } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();
afterEach(async () => void (await place().api.post('/__control/clock', { offsetSeconds: 0 })));

/** Sets the clock by which the service counts and dates what is used. */
const setClock = async (time: string): Promise<void> => {
  const offsetSeconds = (Date.parse(time) - Date.now()) / 1_000;
  expect((await place().api.post('/__control/clock', { offsetSeconds })).status).toBe(200);
};

/** An organization on the free tier that embeds two words at a time of the service's clock, and its tokens as each read counts them. */
async function createOrganization(nickname: string, embedsAt: string) {
  const { calls } = place();
  const { organization_id: organization_id_or_slug } = await calls.invoke('maps.organizations.create', { nickname });
  const { invoke } = await makeKey(place(), { key_name: 'embeds', organization_id: organization_id_or_slug });
  await setClock(embedsAt);
  await invoke('maps.embedding.text', { texts: ['two words'] });
  const named = { organization_id_or_slug };
  const month = async (since_last_billing_date?: boolean) => {
    const usage = await calls.invoke('maps.usage.recent', {
      ...named,
      ...(since_last_billing_date !== undefined && { since_last_billing_date }),
    });
    return { since: usage.usage_since_date, tokens: usage.embedding_models.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0) };
  };
  const period = async (billing_period?: string | null) => {
    const usage = await calls.invoke('maps.usage.period', { ...named, billing_period });
    return { period: usage.billing_period, tokens: usage.text_tokens.used };
  };
  return { path: `/v1/organization/${organization_id_or_slug}`, named, month, period };
}

const wrongParts = ['offset_number=first', 'offset_number=1.5', 'limit=all', 'limit=1.5'];

/** A read takes an offset and a limit, and refuses what is no integer. */
async function expectParts(path: string): Promise<void> {
  const { api } = place();
  const whole = await api.get(path);
  expect(whole.status).toBe(200);
  expect((await api.get(`${path}?offset_number=0&limit=5`)).body).toEqual(whole.body);
  for (const wrong of wrongParts)
    expect(await api.get(`${path}?${wrong}`)).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', wrong.split('=')[0]] }] } });
}

proves(
  ['maps:GET /v1/organization/{organization_id_or_slug}/usage.2'],
  'usage is that of the past month: what is older is counted no more',
  async () => {
    const { month } = await createOrganization('monthly', '2030-03-20T12:00:00Z');
    await setClock('2030-04-19T12:00:00Z');
    expect(await month()).toEqual({ since: '2030-03-19', tokens: 2 });
    await setClock('2030-04-21T12:00:00Z');
    expect(await month()).toEqual({ since: '2030-03-21', tokens: 0 });
  },
);

proves(
  ['maps:GET /v1/organization/{organization_id_or_slug}/usage#since_last_billing_date'],
  'on the free tier usage of before the last billing date counts, whether it is asked for since that date or not',
  async () => {
    const { path, month, period } = await createOrganization('free', '2030-03-20T12:00:00Z');
    await setClock('2030-04-02T12:00:00Z');
    // A billing period has begun since.
    expect(await period()).toEqual({ period: '2030-04-01', tokens: 0 });
    for (const since of [undefined, true, false]) expect((await month(since)).tokens, String(since)).toBe(2);
    expect(await place().api.get(`${path}/usage?since_last_billing_date=perhaps`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'since_last_billing_date'] }] },
    });
  },
);

proves(
  [
    'maps:GET /v1/organization/{organization_id_or_slug}/usage#since_last_billing_date-default',
    'maps:GET /v1/organization/{organization_id_or_slug}/usage.1',
  ],
  'usage is asked for since the last billing date where nothing else is said, and in parts',
  async () => {
    const { path, named } = await createOrganization('silent', '2030-03-20T12:00:00Z');
    const { invoke, sent } = watchedCalls(place());
    await invoke('maps.usage.recent', named);
    await invoke('maps.usage.recent', { ...named, since_last_billing_date: false, offset_number: 3, limit: 4 });
    const queries = sent.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
    expect(queries).toEqual([
      { since_last_billing_date: 'true', offset_number: '0' },
      { since_last_billing_date: 'false', offset_number: '3', limit: '4' },
    ]);
    await expectParts(`${path}/usage`);
  },
);

proves(
  [
    'maps:GET /v1/organization/{organization_id_or_slug}/usage2#billing_period',
    'maps:GET /v1/organization/{organization_id_or_slug}/usage2.1',
  ],
  'the usage of a billing period is read by the exact date on which it begins, that of the present one by null',
  async () => {
    const { path, period } = await createOrganization('billed', '2030-03-20T12:00:00Z');
    expect(await period(null)).toEqual({ period: '2030-03-01', tokens: 2 });
    await setClock('2030-04-20T12:00:00Z');
    for (const present of [undefined, null, '2030-04-01']) expect(await period(present)).toEqual({ period: '2030-04-01', tokens: 0 });
    expect(await period('2030-03-01')).toEqual({ period: '2030-03-01', tokens: 2 });
    for (const inexact of ['2030-03-02', '2030-03', 'march'])
      expect(await place().api.get(`${path}/usage2?billing_period=${inexact}`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['query', 'billing_period'] }] },
      });
    await expectParts(`${path}/usage2`);
  },
);

proves(
  [
    'maps:GET /v1/organization/{organization_id_or_slug}/usage/{usage_type}/within_limit#usage_type',
    'maps:GET /v1/organization/{organization_id_or_slug}/usage/{usage_type}/within_limit.1',
  ],
  'a limit is looked up by one of the kinds of usage, and counts that kind alone',
  async () => {
    const { path, named } = await createOrganization('limited', '2030-03-20T12:00:00Z');
    for (const [usage_type, used] of [
      ['text_tokens', 2],
      ['image_embeddings', 0],
      ['advanced_analysis', 0],
    ] as const) {
      const answer = await place().calls.invoke('maps.usage.withinLimit', { ...named, usage_type });
      expect(answer).toMatchObject({ usage_type, total_with_update: used, within_limit: true });
      await expectParts(`${path}/usage/${usage_type}/within_limit`);
    }
    expect(await place().api.get(`${path}/usage/seats/within_limit`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'usage_type'] }] },
    });
  },
);

proves(
  ['maps:limits/pagination-via-offset_number-integer-default-0-and-limit-integer-or-null'],
  'an organization, its usage and its limits are read from an offset, 0 where none is said, and up to a limit or without one',
  async () => {
    const { path, named } = await createOrganization('parted', '2030-03-20T12:00:00Z');
    for (const what of ['', '/usage', '/usage2', '/usage/text_tokens/within_limit']) await expectParts(`${path}${what}`);
    for (const { part, written } of [
      { part: {}, written: ['0', null] },
      { part: { offset_number: 2, limit: null }, written: ['2', null] },
      { part: { offset_number: 0, limit: 7 }, written: ['0', '7'] },
    ]) {
      const { invoke, sent } = watchedCalls(place());
      await invoke('maps.organizations.get', { ...named, ...part });
      await invoke('maps.usage.recent', { ...named, ...part });
      await invoke('maps.usage.period', { ...named, ...part });
      await invoke('maps.usage.withinLimit', { ...named, usage_type: 'text_tokens', ...part });
      const queries = sent.map(({ url }) => new URL(url).searchParams);
      expect(queries.map((query) => [query.get('offset_number'), query.get('limit')])).toEqual([written, written, written, written]);
    }
  },
);
