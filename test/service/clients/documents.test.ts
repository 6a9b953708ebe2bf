import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useClients } from './place.ts';

const place = useClients();
const json = 'application/json';

/** Asks for a place, and sends the bytes there without a key, with the header that clients of an object store send. */
async function uploaded(id: string, text: string, content_type = 'application/pdf'): Promise<string> {
  const {
    status,
    headers,
    json: made,
  } = await place().post('/v1/upload', { files: [{ id, size: Buffer.byteLength(text), content_type }] });
  expect([status, headers['content-type']]).toEqual([201, json]);
  const [{ upload_url, nomic_url }] = made.files;
  expect(nomic_url).toMatch(/^nomic:\/\/files\//);
  const url = new URL(upload_url);
  const put = { method: 'PUT', path: url.pathname + url.search, headers: { 'x-amz-server-side-encryption': 'AES256' }, body: text };
  expect((await place().rawOpen(put)).status).toBe(200);
  return nomic_url;
}

/** Asks until the task has ended, as clients do, and gets its result without a key. */
async function resultOf(task: string): Promise<any> {
  for (;;) {
    const { json: answer } = await place().get(`/v1/status/${task}`);
    if (answer.status === 'FAILED') return { error: answer.error };
    if (answer.status === 'COMPLETED') {
      const url = new URL(answer.result_url);
      const result = await place().rawOpen({ method: 'GET', path: url.pathname + url.search });
      expect([result.status, result.headers['content-type']]).toEqual([200, json]);
      return result.json;
    }
    await pause(5);
  }
}

test('a document is uploaded, parsed and fetched; what cannot be read says why under the name that clients read', async () => {
  const { status, json: begun } = await place().post('/v1/parse', {
    file_url: await uploaded('a.txt', 'A ship in a storm.', 'text/plain'),
  });
  expect([status, typeof begun.task_id]).toEqual([201, 'string']);
  const { chunks } = await resultOf(begun.task_id);
  expect(chunks[0]).toMatchObject({ content: 'A ship in a storm.', embed: 'A ship in a storm.', blocks: [{ type: 'Text' }] });
  const { json: broken } = await place().post('/v1/parse', { file_url: await uploaded('a.pdf', '%PDF-1.7') });
  expect((await resultOf(broken.task_id)).error).toMatch(/damaged/);
});

const statement = `# Statement

Customer name: Ada Lovelace

Active: yes

| Account type | Account number | Ending value |
| --- | --- | --- |
| Checking | C-17 | $1,234.50 |
| Savings | S-4 | $90 |

| Day | Weather |
| --- | --- |
| Monday | storm |
`;

test('a schema is filled from labels and tables, as an object or a list; what no document says is left out, and nothing is made up', async () => {
  const file_urls = [await uploaded('statement.md', statement, 'text/markdown')];
  const account = {
    type: 'object',
    properties: {
      accountType: { type: 'string', enum: ['checking', 'savings', 'other'] },
      accountNumber: { type: 'string' },
      endingValue: { type: 'number' },
    },
  };
  const extract = async (extraction_schema: object, more: object = {}) => {
    const { status, json: begun } = await place().post('/v1/extract', { file_urls, extraction_schema, ...more });
    return status === 201 ? resultOf(begun.task_id) : status;
  };
  const accounts = [
    { accountType: 'checking', accountNumber: 'C-17', endingValue: 1234.5 },
    { accountType: 'savings', accountNumber: 'S-4', endingValue: 90 },
  ];
  const properties = {
    customerName: { type: 'string', description: 'As shown.' },
    active: { type: 'boolean' },
    phone: { type: 'string' },
    accounts: { type: 'array', items: account },
  };
  const object = { customerName: 'Ada Lovelace', active: true, accounts };
  expect(await extract({ type: 'object', properties }, { system_prompt: null })).toEqual(object);
  expect(await extract({ type: 'array', items: account })).toEqual(accounts);
  expect(await extract({ type: 'object', properties: { accountNumber: { type: 'array', items: { type: 'string' } } } })).toEqual({
    accountNumber: ['C-17', 'S-4'],
  });
  expect(await extract({ type: 'object', properties: { harbour: { type: 'string' } } })).toEqual({});
  expect([await extract({ type: 'string' }), await extract({ type: 'object' }, { system_prompt: 'Be brief.' })]).toEqual([422, 422]);
});
