import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
  await mkdir(store.path());
});
afterEach(() => rm(root, { recursive: true, force: true }));

const place = ['rows', 'chunk', '7'];
const open = (writer: string) => openIntents(store, place, writer);
/** That of the first one to open them. */
const fileOf = (writer: string): string => store.path('intents', ...place, `1~${writer}.jsonl`);
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

test('what an attempt takes back of earlier ones holds, however they are called', async () => {
  for (const [earlier, later] of [
    ['a', 'b'],
    ['d', 'c'],
  ] as const) {
    const first = open(earlier);
    await first.begin(earlier, intent);
    const second = open(later);
    second.withdraw(earlier);
    await Promise.all([first.close(), second.close()]);
    expect(open('last').state(earlier)).toEqual({ is: 'new', intents: [intent] });
  }
});

test('of what is written again and again the newest counts, by whichever of many attempts', async () => {
  // Attempts are numbered anew where a run continues as new.
  const writers = ['f', '0'].flatMap((run) => Array.from({ length: 12 }, (_, at) => `${run}-${at + 1}`));
  for (const [at, writer] of writers.entries()) {
    const intents = open(writer);
    if (at > 0) expect(intents.state('look')).toMatchObject({ result: at - 1 });
    intents.done('look', at);
    await intents.close();
  }
  expect(open('last').state('look')).toMatchObject({ result: writers.length - 1 });
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
  await writeFile(store.path('intents'), 'no folder');
  await expect(intents.begin('call', intent)).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('the folder of a run that went away with its disk is not begun anew', async () => {
  const intents = open('one');
  await rm(store.path(), { recursive: true });
  await expect(intents.begin('call', intent)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(readdir(root)).resolves.toEqual([]);
});

test('of calls that are begun together and do not fit on the disk none may be sent, and nothing of them stays', async () => {
  const code = `
    const { createRunStore } = await import(${JSON.stringify(import.meta.resolve('../../store/create-run-store.ts'))});
    const { openIntents } = await import(${JSON.stringify(import.meta.resolve('../../store/intents.ts'))});
    const intents = openIntents(createRunStore(process.argv[1]), ${JSON.stringify(place)}, 'one');
    const begin = (call, bytes) => intents.begin(call, { operation: 'x'.repeat(bytes) }).then(() => 'begun', ({ code }) => code);
    const ends = [await begin('before', 100)];
    ends.push(...await Promise.all(['a', 'b', 'c', 'd'].map((call) => begin(call, 300))));
    ends.push(await begin('after', 100));
    ends.push(await intents.close().then(() => 'closed', ({ code }) => code));
    process.stdout.write(ends.join(' '));`;
  // No file of that process may have more than 1 KiB.
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', code, store.path()];
  const { stdout } = await promisify(execFile)('bash', limited);
  expect(stdout).toBe('begun EFBIG EFBIG EFBIG EFBIG begun EFBIG');
  expect([...open('two').calls().keys()]).toEqual(['before', 'after']);
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

test('a later attempt knows what all before it knew, however they are called', async () => {
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
