import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { moviesOf, newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

beforeAll(async () => {
  await world.write(
    'steps/says.mts',
    `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineStep, z } from ${JSON.stringify(api)};
const said = (file) => { try { return readFileSync(file, 'utf8').trim().split(' '); } catch { return []; } };
export default defineStep({
  name: 'acme.says',
  input: z.strictObject({ word: z.string(), file: z.string(), fails: z.int().default(0), after: z.string().optional() }),
  output: z.object({ word: z.string() }),
  effect: 'idempotent',
  async run({ word, file, fails, after }) {
    const tries = said(file).filter((each) => each === word + '?').length;
    if (tries < fails) {
      appendFileSync(file, word + '? ');
      throw new Error(word + ' is not to be said');
    }
    while (after !== undefined && !existsSync(after)) await delay(20);
    appendFileSync(file, word + ' ');
    return { word };
  },
});
`,
  );
  await world.write(
    'steps/each.mts',
    `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.each',
  input: z.strictObject({ words: z.array(z.string()), bad: z.string(), file: z.string() }),
  effect: 'never',
  *items({ words, bad, file }) {
    for (const id of words) yield { id, bad, file };
  },
  each({ id, bad, file }) {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const fails = id === bad && !before.includes(id + '?');
    appendFileSync(file, id + (fails ? '? ' : ' '));
    return fails ? { status: 'failed', reason: 'not now' } : {};
  },
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
});

const said = (name: string): Promise<string> => readFile(join(world.dir, name), 'utf8').catch(() => '');

test('a step that failed is tried again as its file says, through the loss of its worker, and the view says which try is next', async () => {
  const run = await world.start(`name: again
steps:
  first: { use: acme.says, with: { word: one, file: again.txt, fails: 2, after: again.go }, onError: { else: { retry: 3, every: 2s } } }
  second: { use: acme.says, with: { word: "\${{ steps.first.word + '!' }}", file: again.txt } }
`);
  const { view: waiting } = await world.until(run, ({ view }) => view.steps[0]?.retries !== undefined);
  expect(waiting.steps[0]).toMatchObject({
    status: 'running',
    retries: { of: 4, error: { message: expect.stringContaining('one is not to be said') } },
  });
  await world.worker.kill();
  await world.worker.start(0);
  await world.write('again.go', 'the last try may end');
  const { view } = await world.ended(run);
  expect(view).toMatchObject({ state: 'done', steps: [{ id: 'first', status: 'done', retries: { now: 3, of: 4 } }, { status: 'done' }] });
  expect(await said('again.txt')).toBe('one? one? one one! ');
});

test('tries are used up: the run fails, or goes on where the file says so; another class is not tried again', async () => {
  const { view } = await world.ended(
    await world.start(`name: over
steps:
  never: { use: acme.says, with: { word: one, file: over.txt, fails: 9 }, onError: { else: { retry: 1, every: 1s, then: tolerate } } }
  other: { use: acme.says, with: { word: two, file: over.txt, fails: 9 }, needs: [never], onError: { input: { retry: 5, every: 1s } } }
`),
  );
  expect(view).toMatchObject({
    state: 'failed',
    error: { step: 'other' },
    steps: [
      { id: 'never', status: 'tolerated', retries: { now: 2, of: 2 } },
      { id: 'other', status: 'failed' },
    ],
  });
  expect(view.steps[1]!.retries).toBeUndefined();
  expect(await said('over.txt')).toBe('one? one? two? ');
});

test('a run that is cancelled while a step waits for its next try ends at once', async () => {
  const run = await world.start(`name: long
steps:
  first: { use: acme.says, with: { word: one, file: long.txt, fails: 1 }, onError: { else: { retry: 1, every: 30d } } }
`);
  await world.until(run, ({ view }) => view.steps[0]?.retries?.at !== undefined);
  expect((await world.portolan(['status', run])).out).toMatch(/first +2nd try of 2 in [^:]*: one is not to be said/);
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view).toMatchObject({ state: 'cancelled', steps: [{ status: 'cancelled' }] });
});

test('a run that fails does not wait for the next try of another step', async () => {
  const run = await world.start(`name: apart
steps:
  first: { use: acme.says, with: { word: one, file: apart.txt, fails: 1 }, onError: { else: { retry: 1, every: 30d } } }
  ask: { use: gate.approve, with: { show: now } }
  last: { use: acme.says, needs: [ask], with: { word: last, file: apart.txt } }
`);
  await world.until(run, ({ view }) => view.steps[0]?.retries?.at !== undefined && view.steps[1]?.status === 'approval');
  await world.portolan(['reject', run, 'ask', '--note', 'no']);
  expect((await world.ended(run)).view.state).toBe('failed');
});

test('rows that are added go on where they were: what was sent is not sent again, what was refused is', async () => {
  const source = await world.write('movies.json', moviesOf(60));
  const slug = newSlug('again');
  await world.control.fault('maps.data.addArrow', 1, { status: 403 });
  const { value, effects } = await world.effectsOf(() =>
    world.run(
      `name: rows
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true }, columns: { title: Title } }
    onError: { forbidden: { retry: 2, every: 1s } }
  dup: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" }, needs: [rows] }
outputs: { rows: "\${{ steps.dup.rows }}", added: "\${{ steps.rows.added }}" }
`,
      { source, dataset: slug },
    ),
  );
  expect(value.result).toMatchObject({ state: 'done', outputs: { rows: 60, added: 60 } });
  const sent = effects.filter(({ operation }) => operation === 'maps.data.addArrow');
  expect(sent).toHaveLength(1);
});

test('a further try begins no item again that has failed, as the pages say; a rerun does', async () => {
  const text = `name: items
steps:
  each: { use: acme.each, with: { words: [one, two], bad: two, file: items.txt }, onError: { input: { retry: 2, every: 1s } } }
`;
  const { view } = await world.ended(await world.start(text));
  expect(view).toMatchObject({ state: 'failed', error: { type: 'BadInput' }, steps: [{ retries: { now: 3, of: 3 } }] });
  const words = (await said('items.txt')).trim().split(' ');
  expect(words.toSorted((a, b) => a.localeCompare(b))).toEqual(['one', 'two?']);
  const { out } = await world.portolan(['rerun', view.run, '--failed-only', '--json']);
  expect(JSON.parse(out.trim().split('\n').at(-1)!)).toMatchObject({ state: 'done' });
  expect((await said('items.txt')).trim().split(' ').slice(2)).toEqual(['two']);
});

test('each attempt of each try writes a journal of its own', async () => {
  await world.control.fault('maps.projects.create', 1, { status: 403 });
  const { result } = await world.run(`name: journal
steps:
  dataset: { use: dataset.ensure, with: { slug: ${newSlug('journal')} }, onError: { forbidden: { retry: 1, every: 1s } } }
`);
  expect(result.state).toBe('done');
  const files = await readdir(world.store(result.run).path('intents', 'dataset', 'main'));
  expect(files.map((name) => name.replace(/^\d+~\w+-/, '')).toSorted()).toEqual(['1.jsonl', 'r1-1.jsonl']);
});

test('steps are done about a failure and read it; then the run goes on, or fails where they fail', async () => {
  const pipeline = (name: string, fails: number): string => `name: ${name}
steps:
  first:
    use: acme.says
    with: { word: one, file: ${name}.txt, fails: 9 }
    onError:
      transient: fail
      else:
        retry: 1
        every: 1s
        steps:
          note: { use: acme.says, with: { word: "\${{ steps.first.error.type }}", file: ${name}.txt } }
          send: { use: acme.says, with: { word: "\${{ steps.note.word + '!' }}", file: ${name}.txt, fails: ${fails} } }
  second: { use: acme.says, with: { word: "\${{ steps.?first.word.orValue('none') }}", file: ${name}.txt } }
`;
  const { view } = await world.ended(await world.start(pipeline('handled', 0)));
  expect(view).toMatchObject({
    state: 'done',
    steps: [
      { id: 'first', status: 'tolerated', error: { type: 'Error' } },
      { id: 'first[else].note', status: 'done', reactsTo: 'first' },
      { id: 'first[else].send', status: 'done' },
      { id: 'second', status: 'done' },
    ],
  });
  expect(await said('handled.txt')).toBe('one? one? Error Error! none ');

  const failed = await world.start(pipeline('worse', 9));
  expect((await world.ended(failed)).view).toMatchObject({
    state: 'failed',
    error: {
      step: 'first',
      message: expect.stringMatching(/^one is not to be said; what is done about it failed too, at first\[else\].send: Error! is not/),
    },
    steps: [{ status: 'failed' }, { status: 'done' }, { status: 'failed' }, { status: 'skipped' }],
  });
  expect((await world.portolan(['why', failed])).out).toContain('what is done about it failed too');
});
