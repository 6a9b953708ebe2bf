import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { openIntents } from '../../store/intents.ts';
import type { RunStore } from '../../store/run-store.ts';

let root: string;
let store: RunStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-intents-'));
  store = createRunStore(join(root, 'run-1'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const place = ['rows', 'chunk', '7'];
const open = (writer: string) => openIntents(store, place, writer);
const fileOf = (writer: string): string => store.path('intents', ...place, `${writer}.jsonl`);
const intent = { operation: 'maps.projects.create', before: ['a'] };

test('what was begun is on the disk before the call may be sent, and open for the next attempt', async () => {
  const first = open('one');
  expect(first.state('call')).toEqual({ is: 'new', intents: [] });
  await first.begin('call', intent);
  // Nothing was closed: the process may be gone by now.
  expect(await readFile(fileOf('one'), 'utf8')).toContain('maps.projects.create');
  expect(open('two').state('call')).toEqual({ is: 'open', intents: [intent] });
  await first.close();
});

test('what ended is known with its result, whoever wrote it', async () => {
  const first = open('one');
  await first.begin('call', intent);
  first.done('call', { project_id: 'p' });
  await first.close();
  expect(open('two').state('call')).toEqual({ is: 'done', result: { project_id: 'p' }, intents: [intent] });
});

test('what had no effect is new again, also what an earlier attempt had begun, and may be begun anew', async () => {
  const first = open('one');
  await first.begin('call', intent);
  const second = open('two');
  second.withdraw('call');
  await second.close();
  expect(open('three').state('call')).toEqual({ is: 'new', intents: [intent] });
  const third = open('three');
  third.withdraw('call');
  await third.begin('call', { operation: 'again' });
  expect(open('four').state('call')).toEqual({ is: 'open', intents: [{ operation: 'again' }] });
  await Promise.all([first.close(), third.close()]);
});

test('a line cut by a kill was never sent, and the lines after it are read', async () => {
  await mkdir(store.path('intents', ...place), { recursive: true });
  await writeFile(fileOf('one'), '\n["call","begun",{"opera');
  expect(open('two').state('call')).toEqual({ is: 'new', intents: [] });
  await appendFile(fileOf('one'), '\n["other","done",1]\n');
  expect(open('two').state('other')).toEqual({ is: 'done', result: 1, intents: [] });
});

test('an attempt that sends nothing leaves no file', async () => {
  await open('one').close();
  await expect(readdir(store.path('intents'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('where nothing can be written, nothing may be sent', async () => {
  const intents = open('one');
  await writeFile(join(root, 'run-1'), 'no folder');
  await expect(intents.begin('call', intent)).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('many calls begun at once are all on the disk', async () => {
  const intents = open('one');
  await Promise.all(Array.from({ length: 200 }, (_, at) => intents.begin(String(at), { operation: 'own' })));
  expect(open('two').calls().size).toBe(200);
  await intents.close();
});

type Act = { writer: number; call: string; is: 'begin' | 'withdraw' | 'done' };
const act = fc.record({
  writer: fc.nat(2),
  call: fc.constantFrom('a', 'b'),
  is: fc.constantFrom('begin' as const, 'withdraw' as const, 'done' as const),
});

test('a later attempt knows what all before it knew, in whatever order their files are read', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (drawn) => {
      // Attempts follow each other.
      const acts = drawn.toSorted((a, b) => a.writer - b.writer);
      const names = ['m', 'a', 'z'].map((name) => `${name}${++runs}`);
      const here = [...place, String(runs)];
      const known = new Map<string, 'new' | 'open' | 'done'>();
      let intents: { writer: number; open: ReturnType<typeof openIntents> } | undefined;
      for (const { writer, call, is } of acts as Act[]) {
        if (intents?.writer !== writer) {
          await intents?.open.close();
          intents = { writer, open: openIntents(store, here, names[writer]!) };
        }
        if (is === 'begin') await intents.open.begin(call, { operation: 'x' });
        else if (is === 'withdraw') intents.open.withdraw(call);
        else intents.open.done(call, null);
        if (known.get(call) !== 'done') known.set(call, is === 'begin' ? 'open' : is === 'withdraw' ? 'new' : 'done');
      }
      await intents?.open.close();
      const next = openIntents(store, here, 'next');
      for (const call of ['a', 'b']) expect(next.state(call).is).toBe(known.get(call) ?? 'new');
    }),
    { numRuns: 60 },
  );
});
