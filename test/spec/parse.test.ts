import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { createWorld } from '../service/world.ts';
import { documentOf, resultOf, sendFile, taskEnd } from '../service/parsing.ts';
import { pdfOf } from '../service/pdf-writer.ts';
import { makeKey, refusalOf, usePlace } from './place.ts';
import { nowhere } from './rows/made.ts';
import { proves } from './proves.ts';

const place = usePlace();

const report = pdfOf([[{ x: 72, y: 700, text: 'Ships came in the morning.' }], [{ x: 72, y: 700, text: 'They left at night.' }]]);
const table = { bytes: '| Size | Fee |\n| --- | --- |\n| 10 m | 4 |\n\n![a plan](x.png)\n', type: 'text/markdown' };

const summaries = async (options?: object) =>
  (await documentOf(place(), table, options)).chunks.flatMap(({ blocks }) =>
    blocks.flatMap(({ type, summary }) => (summary ? [type] : [])),
  );

proves(
  ['maps:parse-request/file_url'],
  'a file is named by the URL of its upload, or by a public one, which the service fetches',
  async () => {
    const server = createServer((_, answer) => answer.end(report)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report.pdf`;
    try {
      await using allowing = await createWorld({ outside: { allow: ['127.0.0.1'] } });
      const contents: string[][] = [];
      for (const file_url of [url, (await sendFile(allowing, { bytes: report })).svc_url]) {
        const { body } = await allowing.api.post('/v1/parse', { file_url });
        const { result_url } = await taskEnd(allowing, body.task_id);
        contents.push((await resultOf(allowing, result_url)).chunks.map(({ content }) => content));
      }
      const pages = ['Ships came in the morning.', 'They left at night.'];
      expect(contents).toEqual([pages, pages]);
      // A host of this machine is public to nobody.
      const { body } = await place().api.post('/v1/parse', { file_url: url });
      expect(await taskEnd(place(), body.task_id)).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/127\.0\.0\.1/) });
      expect((await refusalOf(place().calls.invoke('maps.documents.parse', { file_url: 'ftp://example.com/report.pdf' }))).status).toBe(
        422,
      );
    } finally {
      server.close();
    }
  },
);

proves(
  ['maps:parse-request/options.chunking.chunk_mode', 'maps:parse-request/1'],
  'a PDF is cut by page, the one mode there is, with vectors where they are asked for',
  async () => {
    const { chunks } = await documentOf(place(), { bytes: report }, { chunking: { chunk_mode: 'page' }, embed_chunks: true });
    expect(chunks.map(({ page, embedding }) => [page, embedding!.length])).toEqual([
      [1, 768],
      [2, 768],
    ]);
    expect((await documentOf(place(), { bytes: report })).chunks.map(({ page, embedding }) => [page, embedding])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    const { status } = await place().api.post('/v1/parse', { file_url: 'svc://files/x', options: { chunking: { chunk_mode: 'word' } } });
    expect(status).toBe(422);
  },
);

proves(
  ['maps:parse-request/options.ocr_system', 'maps:parse-request/options'],
  'options may be left out, and ocr_system is standard or refused',
  async () => {
    const { svc_url: file_url } = await sendFile(place(), { bytes: 'A ship.' });
    const statusOf = async (options?: object | null) => (await place().api.post('/v1/parse', { file_url, options })).status;
    expect([await statusOf(), await statusOf(null), await statusOf({}), await statusOf({ ocr_system: 'standard' })]).toEqual([
      201, 201, 201, 201,
    ]);
    expect([await statusOf({ ocr_system: 'other' }), await statusOf({ no_such: true })]).toEqual([422, 422]);
  },
);

proves(
  ['maps:parse-request/options.content_extraction_mode'],
  'metadata reads the text of the file alone, ocr the page as a picture, hybrid both; another mode is refused',
  async () => {
    const sources = async (content_extraction_mode: string) =>
      (await documentOf(place(), { bytes: report }, { content_extraction_mode })).chunks.flatMap(({ blocks }) =>
        blocks.map(({ source }) => source ?? 'file'),
      );
    expect(await sources('metadata')).toEqual(['file', 'file']);
    expect(await sources('hybrid')).toEqual(['file', 'file']);
    expect(await sources('ocr')).toEqual(['ocr', 'ocr']);
    const { status } = await place().api.post('/v1/parse', { file_url: 'svc://files/x', options: { content_extraction_mode: 'guess' } });
    expect(status).toBe(422);
  },
);

proves(['maps:parse-request/options.table_summary.enabled'], 'a table has a summary where it is asked for, and else none', async () => {
  expect(await summaries({ figure_summary: { enabled: false } })).toEqual([]);
  expect(await summaries({ table_summary: { enabled: true }, figure_summary: { enabled: false } })).toEqual(['Table']);
  expect(await summaries({ table_summary: { enabled: false }, figure_summary: { enabled: false } })).toEqual([]);
});

proves(['maps:parse-request/options.figure_summary.enabled'], 'a figure has a summary unless it is switched off', async () => {
  expect(await summaries()).toEqual(['Figure']);
  expect(await summaries({ figure_summary: { enabled: true } })).toEqual(['Figure']);
  expect(await summaries({ figure_summary: { enabled: false } })).toEqual([]);
});

proves(
  ['maps:POST /v1/parse#403', 'maps:authentication/11', 'maps:errors/403'],
  'parse answers 403 to a key of a dataset, and for a file of another organization as for one of nobody',
  async () => {
    const { calls, api } = place();
    const { svc_url: file_url } = await sendFile(place(), { bytes: 'A ship.' });
    const { project_id } = (
      await api.post('/v1/project/create', {
        organization_id: place().organization.organization_id,
        project_name: 'parse',
        unique_id_field: 'id',
      })
    ).body;
    const ofDataset = await makeKey(place(), {
      key_name: 'of a dataset',
      key_scope: 'DATASET',
      key_role: 'ADMIN',
      key_target_id: project_id,
    });
    const { organization_id } = await calls.invoke('maps.organizations.create', { nickname: 'elsewhere' });
    const elsewhere = await makeKey(place(), { key_name: 'elsewhere', organization_id });
    for (const { invoke } of [ofDataset, elsewhere])
      expect((await refusalOf(invoke('maps.documents.parse', { file_url }))).status).toBe(403);
    expect((await refusalOf(calls.invoke('maps.documents.parse', { file_url: `svc://files/${nowhere}` }))).status).toBe(403);
    expect((await calls.invoke('maps.documents.parse', { file_url })).task_id).toEqual(expect.any(String));
  },
);

proves(
  ['maps:POST /v1/parse.1', 'maps:POST /v1/parse#422'],
  'the body holds file_url and options: without the one, or with more, it is refused by a finding',
  async () => {
    for (const body of [{}, { file_url: '' }, { file_url: 'svc://files/x', more: 1 }, { file_url: 7 }]) {
      const answer = await place().api.post('/v1/parse', body);
      expect([answer.status, answer.body.detail[0]]).toEqual([
        422,
        { loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) },
      ]);
    }
  },
);

proves(
  ['maps:parse-request/2#task_id', 'maps:parse-request/2', 'maps:parse-request/2#201'],
  'the answer is a 201 with the id of a task, another for each call',
  async () => {
    const { svc_url: file_url } = await sendFile(place(), { bytes: 'A ship.' });
    const answers = [await place().api.post('/v1/parse', { file_url }), await place().api.post('/v1/parse', { file_url })];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const ids = answers.map(({ body }) => body.task_id as string);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect((await taskEnd(place(), id)).status).toBe('COMPLETED');
  },
);

proves(
  ['maps:authentication/11#403'],
  'whoever may not parse a file is told so by a 403 that says nothing of whether it is there',
  async () => {
    const { calls, api } = place();
    const { svc_url: file_url } = await sendFile(place(), { bytes: 'A ship.' });
    const { organization_id } = await calls.invoke('maps.organizations.create', { nickname: 'other readers' });
    const { key } = await makeKey(place(), { key_name: 'other readers', organization_id });
    const answers = [];
    for (const url of [file_url, file_url.replace(/[^/]+$/, nowhere)])
      answers.push(await api.post('/v1/parse', { file_url: url }, { authorization: `Bearer ${key}` }));
    const refusal = { status: 403, body: { status_code: 403, detail: 'The user is not authorized to perform this action.' } };
    expect(answers).toMatchObject([refusal, refusal]);
    expect((await api.post('/v1/parse', { file_url })).status).toBe(201);
  },
);
