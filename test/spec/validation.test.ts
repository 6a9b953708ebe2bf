import { expect } from 'vitest';
import { operations } from '../../contracts/index.ts';
import type { Answer } from '../service/world.ts';
import { misfitsOf } from './misfits.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

const nowhere = '00000000-0000-4000-8000-000000000000';

/** Each with the findings that it meets. */
const misfits: { send: () => Promise<Answer>; findings: (string | number)[][] }[] = [
  {
    send: () => place().api.post('/v1/query', { projection_id: 'map' }),
    findings: [
      ['body', 'projection_id'],
      ['body', 'selection'],
    ],
  },
  {
    send: () => {
      const filters = [
        { method: 'range', field: 'year', range: [1, 2] },
        { method: 'range', field: 'year', range: [1, '2'] },
      ];
      return place().api.post('/v1/query', { projection_id: nowhere, selection: { method: 'composition', conjunctor: 'ALL', filters } });
    },
    findings: [['body', 'selection', 'filters', 1, 'range', 1]],
  },
  { send: () => place().api.get('/v1/project/no-uuid'), findings: [['path', 'project_id']] },
  { send: () => place().api.get('/v1/organization/local?offset_number=many'), findings: [['query', 'offset_number']] },
  {
    send: () => place().api.post('/v1/project/data/get', { project_id: nowhere, datum_ids: ['a', 2] }),
    findings: [['body', 'datum_ids', 1]],
  },
  { send: () => place().api.send('POST', '/v1/query', new TextEncoder().encode('{')), findings: [['body']] },
];

type Finding = { loc: unknown[]; msg: unknown; type: unknown };

const findingsOf = async (): Promise<Finding[]> => {
  const found: Finding[] = [];
  for (const { send } of misfits) found.push(...(await send()).body.detail);
  return found;
};

proves(
  ['maps:validation-error-body/1', 'maps:errors/422.2'],
  'what does not fit is refused by an object with one field, detail: an array of findings of loc, msg and type',
  async () => {
    for (const { send, findings } of misfits) {
      const { status, body, headers } = await send();
      expect([status, headers.get('content-type')]).toEqual([422, 'application/json']);
      const members = findings.map(() => ({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) }));
      expect(body).toEqual({ detail: members });
    }
  },
);

proves(
  ['maps:validation-error-body/1#loc'],
  'loc says where the finding lies: names as texts, places in an array as integers',
  async () => {
    for (const { send, findings } of misfits) expect((await send()).body.detail.map(({ loc }: Finding) => loc)).toEqual(findings);
  },
);

proves(['maps:validation-error-body/1#msg'], 'msg is a text that says what is wrong', async () => {
  for (const { msg } of await findingsOf()) expect(msg).toMatch(/\w+ \w+/);
});

proves(['maps:validation-error-body/1#type'], 'type is a text that names the kind of finding', async () => {
  for (const { type } of await findingsOf()) expect(type).toMatch(/^[a-z][\w.]*$/);
});

/** Reads whose parameters have a form that not every text has. */
const reads: [path: string, at: string][] = [
  ['/v1/project/x', 'path.project_id'],
  ['/v1/project/x/last_modified', 'path.dataset_id'],
  ['/v1/project/data/get/blob/x/0', 'path.dataset_id'],
  ['/v1/project/projection/x/datums?qid=0-0', 'path.map_id'],
  [`/v1/project/projection/${nowhere}/datums?qid=first`, 'query.qid.0'],
  [`/v1/project/projection/${nowhere}/datums?qid=0-0&response_type=csv`, 'query.response_type'],
  ['/v1/organization/local?limit=x', 'query.limit'],
  ['/v1/organization/local/usage?since_last_billing_date=x', 'query.since_last_billing_date'],
  ['/v1/organization/local/usage2?billing_period=x', 'query.billing_period'],
  ['/v1/organization/local/usage/x/within_limit', 'path.usage_type'],
];

proves(
  ['maps:errors/422', 'maps:errors/422.1'],
  'every operation with parameters or a body refuses with 422 what does not fit, and says where it lies',
  async () => {
    for (const [path, at] of reads) expect([path, ...misfitsOf(await place().api.get(path))]).toEqual([path, 422, at]);
    const orders = Object.entries(operations).filter(([name, { method }]) => name.startsWith('maps.') && method === 'POST');
    expect(orders.length).toBeGreaterThan(20);
    for (const [name, { path }] of orders) {
      // No operation takes a list for its body: neither as JSON, nor as a form or as Arrow.
      const { status, body } = await place().api.post(path.replaceAll(/\{\w+\}/g, nowhere), []);
      const finding = { loc: expect.arrayContaining(['body']), msg: expect.any(String), type: expect.any(String) };
      expect([name, status, body]).toEqual([name, 422, { detail: [finding] }]);
    }
  },
);
