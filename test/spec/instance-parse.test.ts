import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { instance } from '../../contracts/instance/index.ts';
import { parsedDocument } from '../../contracts/parsed-document.ts';
import { pdfOf } from '../service/pdf-writer.ts';
import { memberWith, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';

type Options = NonNullable<z.input<typeof instance.parse.submit.input>['options']>;

const place = useInstance();

const markdown = (text: string): File => new File([text], 'text.md', { type: 'text/markdown' });
const plan = '# Fees\n\n| Size | Fee |\n| --- | --- |\n| 10 m | 4 |\n\n![a plan of the quay](x.png)\n';
const report = new File(
  [
    new Uint8Array(
      pdfOf(
        [
          'The harbour was closed when the storm came in. Ships stayed out.',
          'Bread cost more than before. The harbour was opened again.',
          'Wheels were made of oak. The harbour master counted them.',
        ].map((text) => [{ x: 72, y: 700, text }]),
      ),
    ),
  ],
  'report.pdf',
  { type: 'application/pdf' },
);

const versionOf = async (file: File): Promise<string> => (await place().owner.invoke('instance.files.upload', { file })).fileVersionId;

const submit = async (file: File, options?: Options): Promise<string> =>
  (await place().owner.invoke('instance.parse.submit', { fileVersionId: await versionOf(file), ...(options ? { options } : {}) })).taskId;

/** The last word on a task. */
async function ended(taskId: string) {
  for (;;) {
    const answer = await place().owner.invoke('instance.parse.get', { taskId });
    if (answer.status !== 'pending') return answer;
    await pause(5);
  }
}

async function documentOf(file: File, options?: Options) {
  const { status, resultUrl, error } = await ended(await submit(file, options));
  if (status !== 'completed') throw new Error(`${status}: ${error}`);
  return parsedDocument.parse(await (await fetch(resultUrl!)).json());
}

const summarised = async (options?: Options) =>
  (await documentOf(markdown(plan), options)).chunks.flatMap(({ blocks }) =>
    blocks.flatMap(({ type, summary }) => (summary ? [[type, summary.text]] : [])),
  );

const summariesOf = async (file: File, summaryChunks: Options['summaryChunks'], words = 100) =>
  (await documentOf(file, { summaryWordLimit: words, summaryChunks: { enabled: true, ...summaryChunks } })).summaries!;

/** The status by which a body is refused; 200 where it is not. */
const statusOf = async (options: unknown): Promise<number> => {
  const fileVersionId = await versionOf(markdown(plan));
  const headers = { authorization: `Bearer ${place().service.adminKeys.instance}` };
  return (await place().api.post('/api/v0/parse', { fileVersionId, options }, headers)).status;
};

proves(
  ['instance:POST /parse#taskId', 'instance:POST /parse.2', 'instance:states-and-transitions/5'],
  'a task has a uuid, and is pending, then completed with a URL or failed with an error',
  async () => {
    const fault = { operation: 'task.begun', times: 1, do: { hold: 'before' } };
    const { id } = (await place().api.post('/__control/faults', fault)).body as { id: string };
    const taskId = await submit(markdown('A ship.'));
    expect(taskId).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    expect(await place().owner.invoke('instance.parse.get', { taskId })).toEqual({ status: 'pending' });
    await place().api.post('/__control/release', { id });
    expect(await ended(taskId)).toEqual({ status: 'completed', resultUrl: expect.any(String) });
    const broken = new File([new Uint8Array([1, 2, 3, 0, 4])], 'broken.bin');
    expect(await ended(await submit(broken))).toEqual({ status: 'failed', error: expect.stringMatching(/no text/) });
  },
);

proves(
  ['instance:states-and-transitions/6', 'instance:states-and-transitions/7'],
  'what has completed has a signed URL and no error, what has failed an error and no URL',
  async () => {
    const { resultUrl, ...completed } = await ended(await submit(markdown('A ship.')));
    expect([completed, (await fetch(resultUrl!)).status]).toEqual([{ status: 'completed' }, 200]);
    const signature = new URL(resultUrl!);
    for (const name of [...signature.searchParams.keys()]) signature.searchParams.set(name, '0');
    expect((await fetch(signature)).status).toBe(403);
    const { error, ...failed } = await ended(await submit(new File([new Uint8Array([1, 2, 3, 0, 4])], 'failed.bin')));
    expect([failed, typeof error, error !== '']).toEqual([{ status: 'failed' }, 'string', true]);
  },
);

proves(
  ['instance:GET /parse/{taskId}.2', 'instance:limits/parse-result-url-lifetime-1-hour'],
  'the URL of a result needs no key and holds an hour; a further status gives another',
  async () => {
    const taskId = await submit(markdown('A ship.'));
    const move = (offsetSeconds: number) => place().api.post('/__control/clock', { offsetSeconds });
    const { resultUrl } = await ended(taskId);
    try {
      await move(3_590);
      expect((await fetch(resultUrl!)).status).toBe(200);
      await move(3_601);
      const late = await fetch(resultUrl!);
      expect([late.status, await late.text()]).toEqual([403, expect.stringMatching(/has expired.*GET \/api\/v0\/parse\/\{taskId\}/)]);
      expect((await fetch((await ended(taskId)).resultUrl!)).status).toBe(200);
    } finally {
      await move(0);
    }
  },
);

proves(
  ['instance:POST /parse.1', 'instance:GET /parse/{taskId}.1'],
  'a key without developer:parse begins no task and sees none; another user sees no task of this one',
  async () => {
    const taskId = await submit(markdown('A ship.'));
    const fileVersionId = await versionOf(markdown('A ship.'));
    const other = await memberWith(place(), ['developer:files', 'developer:agent']);
    expect((await refusalOf(other.invoke('instance.parse.submit', { fileVersionId }))).status).toBe(403);
    expect((await refusalOf(other.invoke('instance.parse.get', { taskId }))).status).toBe(403);
    const reader = await memberWith(place(), ['developer:parse']);
    expect((await refusalOf(reader.invoke('instance.parse.get', { taskId }))).status).toBe(404);
    expect((await ended(taskId)).status).toBe('completed');
  },
);

proves(
  ['instance:parse/1#fileVersionId', 'instance:parse/1', 'instance:what-the-service-does/6'],
  'a version of an own file is parsed as it was then; one of others, or of no file of this service, is not found',
  async () => {
    const first = await versionOf(markdown('First.'));
    const second = await versionOf(markdown('Second.'));
    const contents: string[] = [];
    for (const fileVersionId of [first, second]) {
      const { taskId } = await place().owner.invoke('instance.parse.submit', { fileVersionId });
      const parsed = parsedDocument.parse(await (await fetch((await ended(taskId)).resultUrl!)).json());
      contents.push(...parsed.chunks.map(({ content }) => content));
    }
    expect(contents).toEqual(['First.', 'Second.']);
    const other = await memberWith(place());
    expect((await refusalOf(other.invoke('instance.parse.submit', { fileVersionId: first }))).status).toBe(404);
    expect(await statusOf({ noSuchOption: true })).toBe(400);
  },
);

proves(
  ['instance:parse/1#figureSummary.enabled', 'instance:parse/1#tableSummary.enabled'],
  'figures and tables have summaries where they are asked for, each by itself, and else none',
  async () => {
    const [figure, table] = [
      ['Figure', 'a plan of the quay'],
      ['Table', 'Table of 1 rows with the columns Size, Fee. First row: Size: 10 m; Fee: 4.'],
    ];
    expect(await summarised()).toEqual([]);
    expect(await summarised({ figureSummary: { enabled: true } })).toEqual([figure]);
    expect(await summarised({ tableSummary: { enabled: true } })).toEqual([table]);
    expect(await summarised({ figureSummary: { enabled: true }, tableSummary: { enabled: true } })).toEqual([table, figure]);
  },
);

proves(
  ['instance:parse/1#summaryWordLimit', 'instance:parse/1#enabled'],
  'a summary has so many words at most, and chunks have one where it is asked for',
  async () => {
    const words = async (summaryWordLimit: number) =>
      Math.max(...(await summariesOf(report, {}, summaryWordLimit)).map(({ text }) => text.replace(/ …$/, '').split(' ').length));
    expect([await words(10), await words(100)]).toEqual([10, 12]);
    expect((await documentOf(report)).summaries).toBeUndefined();
    expect((await documentOf(report, { summaryChunks: { enabled: false } })).summaries).toBeUndefined();
    expect([await statusOf({ summaryWordLimit: 9 }), await statusOf({ summaryWordLimit: 101 })]).toEqual([400, 400]);
  },
);

proves(['instance:parse/1#embedChunks'], 'chunks have vectors where they are asked for', async () => {
  const vectors = async (options?: Options) =>
    (await documentOf(markdown('A ship.'), options)).chunks.map(({ embedding }) => embedding?.length);
  expect([await vectors(), await vectors({ embedChunks: false }), await vectors({ embedChunks: true })]).toEqual([
    [undefined],
    [undefined],
    [768],
  ]);
});

proves(['instance:parse/1#summaryBy'], 'summaries are of pages, a document without pages being one, or of chunks', async () => {
  const long = markdown(Array.from({ length: 300 }, (_, at) => `Sentence number ${at} is of ships.`).join(' '));
  const of = async (file: File, summaryBy?: 'page' | 'chunk') =>
    (await summariesOf(file, summaryBy ? { summaryBy } : {})).map(({ page, chunks }) => [page, chunks]);
  const pages = [
    [1, [0, 0]],
    [2, [1, 1]],
    [3, [2, 2]],
  ];
  expect([await of(report), await of(report, 'chunk')]).toEqual([pages, pages]);
  expect(await of(long, 'page')).toEqual([[null, [0, 2]]]);
  expect(await of(long, 'chunk')).toEqual([0, 1, 2].map((at) => [null, [at, at]]));
  expect(await statusOf({ summaryChunks: { enabled: true, summaryBy: 'word' } })).toBe(400);
});

proves(
  ['instance:parse/1#summaryMode', 'instance:parse/1#contextSize', 'instance:parse/1#batchSize'],
  'what is around a page decides which of its sentences say the most: its mode, how much of it, and from when it is seen',
  async () => {
    const [ships, oak] = ['Ships sail. Ships wait. Ships turn.', 'Oak grows. Oak falls. Oak sells.'];
    // Of ten words: the summary is the first sentence alone, and says nothing of oak.
    const both = `Cold ships carry grain from northern harbours over seas yearly. ${oak}`;
    /** Which sentence of the last page stands for it. */
    const last = async (before: readonly string[], summaryChunks: Options['summaryChunks']): Promise<string> => {
      const pages = [...before, 'Ships leave the quay early today. Oak burns slowly in this old stove.'];
      const bytes = pdfOf(pages.map((text) => [{ x: 72, y: 700, size: 8, text }]));
      const summaries = await summariesOf(
        new File([new Uint8Array(bytes)], 'pages.pdf'),
        { batchSize: 1, contextSize: 1, ...summaryChunks },
        10,
      );
      return summaries.at(-1)!.text.split(' ')[0]!;
    };
    const chosen = async (summaryMode: NonNullable<Options['summaryChunks']>['summaryMode']) => [
      await last([ships, both], { summaryMode }),
      await last([oak, ships], { summaryMode }),
      await last([both, 'Bread.'], { summaryMode }),
    ];
    expect(await chosen('latest_chunks')).toEqual(['Oak', 'Ships', 'Ships']);
    expect(await chosen('sampled_chunks')).toEqual(['Ships', 'Oak', 'Oak']);
    expect(await chosen('latest_comprehensions')).toEqual(['Ships', 'Ships', 'Ships']);
    expect(await chosen('sampled_comprehensions')).toEqual(['Ships', 'Oak', 'Ships']);
    expect((await chosen('rolling_summary'))[0]).toBe('Cold');
    const sizes = [0, 1, 2].map((contextSize) => last([ships, both], { contextSize }));
    expect(await Promise.all(sizes)).toEqual(['Ships', 'Oak', 'Ships']);
    const batches = [1, 2, 3].map((batchSize) => last([ships, both], { batchSize }));
    expect(await Promise.all(batches)).toEqual(['Oak', 'Oak', 'Ships']);
    expect(await statusOf({ summaryChunks: { enabled: true, summaryMode: 'first_chunks' } })).toBe(400);
  },
);

proves(
  ['instance:parse/1#layoutModel', 'instance:parse/1#usePaddlePostprocessing'],
  'experimental options are taken, and the notes of the result say what was done otherwise',
  async () => {
    const notes = async (experimentalOptions?: Options['experimentalOptions']) =>
      (await documentOf(markdown('A ship.'), experimentalOptions ? { experimentalOptions } : {})).notes;
    expect(await notes()).toEqual([]);
    expect(await notes({ layoutModel: 'layout-9', usePaddlePostprocessing: true })).toEqual([
      expect.stringContaining('layout-9'),
      expect.stringContaining('usePaddlePostprocessing'),
    ]);
    expect(await notes({ usePaddlePostprocessing: false })).toEqual([]);
  },
);
