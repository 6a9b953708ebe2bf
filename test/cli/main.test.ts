import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTerminal } from '../../cli/frame/terminal.ts';
import { verbs } from '../../cli/verbs/index.ts';
import { portolan } from './support.ts';

const here = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe('help', () => {
  test('names every verb once, with its exit codes', async () => {
    const { code, out } = await portolan(['help']);
    expect(code).toBe(0);
    for (const { name, summary } of verbs) expect(out).toContain(`${name.padEnd(10)}  ${summary}`);
    expect(out).toContain('130 interrupted');
  });

  test('has a file for every verb and a verb for every file', () => {
    const files = readdirSync(here('cli/verbs'))
      .filter((name) => name !== 'index.ts')
      .map((name) => name.replace('.ts', ''));
    expect(files.sort()).toEqual(verbs.map(({ name }) => name).sort());
  });

  test.each(verbs.map(({ name }) => name))('%s shows usage, every option and an example', async (name) => {
    const verb = await verbs.find((entry) => entry.name === name)!.load();
    const { code, out } = await portolan([name, '--help']);
    expect(code).toBe(0);
    expect(verb.name).toBe(name);
    expect(verb.summary).toBe(verbs.find((entry) => entry.name === name)!.summary);
    expect(out).toContain(`usage: portolan ${name}`);
    for (const option of Object.keys(verb.options)) expect(out).toContain(`--${option}`);
    expect(verb.examples.length).toBeGreaterThan(0);
    for (const example of verb.examples) expect(example).toContain(`portolan ${name}`);
    expect(await portolan(['help', name])).toEqual({ code, out, err: '' });
  });

  test('loads no verb and no package', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const seen = [];
      registerHooks({ load(url, context, next) { if (url.startsWith('file:')) seen.push(url); return next(url, context); } });
      const { main } = await import(${JSON.stringify(`file://${here('cli/frame/main.ts')}`)});
      await main(['help'], { stdout: { write() {} } });
      console.log(JSON.stringify(seen.map((url) => url.replace(/.*\\/main\\//, ''))));`;
    const loaded = JSON.parse(
      execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], { encoding: 'utf8' }),
    ) as string[];
    expect(loaded.filter((url) => url.includes('node_modules') || /verbs\/(?!index|help)/.test(url))).toEqual([]);
    expect(loaded.length).toBeLessThan(20);
  });
});

describe('a wrong command line ends 2 and says what was meant', () => {
  test.each([
    [['stauts', 'x'], "'stauts' is not a verb", 'did you mean: portolan status?'],
    [['frobnicate'], "'frobnicate' is not a verb", 'all verbs: portolan help'],
    [['run', 'x.yaml', '--conection', 'local'], '--conection is not an option of run', 'did you mean --connection?'],
    [['run', 'x.yaml', '--constructor'], '--constructor is not an option of run', 'portolan help run'],
    [['run', 'x.yaml', '--toString', 'x'], '--toString is not an option of run', 'portolan help run'],
    [['completion', 'toString'], "there is no completion for 'toString'", 'shells: bash, zsh, fish'],
    [['rerun'], 'rerun needs RUN', 'usage: portolan rerun RUN'],
    [['status', 'a', 'b'], "status takes RUN, got also 'b'", 'portolan help status'],
    [['run', 'x.yaml', '--connection'], '--connection needs a value (NAME)', 'portolan help run'],
    [['run', 'x.yaml', '--connection', '--json'], '--connection needs a value (NAME)', 'portolan help run'],
    [['runs', '--json=yes'], '--json takes no value', 'portolan help runs'],
    [['help', 'rum'], "'rum' is not a verb", 'portolan help run?'],
    [['step', 'new', 'greet', '--input', '{}'], '--input is for step test', 'leave it out, or: portolan step test greet'],
    [['step', 'test', 'greet', '--items'], '--items is for step new', 'leave it out, or: portolan step new greet'],
    [['step', 'make', 'greet'], "step has the acts new and test, got 'make'", 'portolan step new NAME'],
    [['doctor', '-c', 'prod'], '--connection is for doctor --probe', 'add --probe'],
    [['doctor', '--scratch'], '--scratch is for doctor --probe', 'add --probe'],
    [['watermark', 'show', 'in', 'rows', '1'], "one pipeline and one of its steps, got '1' too", 'portolan watermark show in rows'],
    [['items', 'r', '--results', '--status', 'failed'], '--status is for the fates of items', 'leave one of the two out'],
    [['plan', '--compare', 'r', '--env', 'prod'], '--env is for the plan of a file', 'portolan plan FILE --compare RUN'],
    [['plan', '--compare', 'r', '-p', 'n=1'], '--param is for the plan of a file', 'portolan plan FILE --compare RUN'],
    [['plan', '--compare', 'r', '--operations'], '--operations is for a plan', 'leave one of the two out'],
    [['call', 'maps.neighbors.byIdArrow'], 'answers bytes', '--out FILE'],
    [['dev', '--service-port', 'http'], "--service-port is a port from 0 to 65535, got 'http'", ''],
    [['dev', '--temporal-source', 'apt'], '--temporal-source is one of cluster, path', ''],
  ])('%j', async (argv, message, remedy) => {
    const { code, out, err } = await portolan(argv);
    expect(code).toBe(2);
    // The other half of --json is for scripts.
    expect(out === '' || (JSON.parse(out) as object)).toEqual(
      argv.includes('--json')
        ? { type: 'error', message: expect.stringContaining(message), remedy: expect.stringContaining(remedy), exit: 2 }
        : true,
    );
    expect(err).toContain(message);
    expect(err).toContain(remedy);
    expect(err).not.toContain('\x1b');
  });

  test('nothing at all shows the help and ends 2', async () => {
    const { code, out } = await portolan([]);
    expect(code).toBe(2);
    expect(out).toContain('usage: portolan VERB');
  });
});

test('an error shows its stack only on request', async () => {
  expect((await portolan(['frobnicate'])).err).not.toContain('at ');
  expect((await portolan(['frobnicate'], { env: { PORTOLAN_DEBUG: '1' } })).err).toContain('UsageError');
});

test('colour only on a terminal, never with NO_COLOR', async () => {
  expect(createTerminal({ tty: true, env: {} }).color).toBe(true);
  expect(createTerminal({ tty: true, env: { NO_COLOR: '1' } }).color).toBe(false);
  expect(createTerminal({ tty: false, env: {} }).color).toBe(false);
  expect((await portolan(['frobnicate'], { tty: true })).err).toContain('\x1b[31m');
});

test('FORCE_COLOR says it alone: 0 is never, anything else always', () => {
  expect(createTerminal({ tty: true, env: { FORCE_COLOR: '0' } }).color).toBe(false);
  expect(createTerminal({ tty: false, env: { FORCE_COLOR: '1' } })).toMatchObject({ color: true, error: { color: true } });
});

test('errors that go into a file have neither colour nor the width of the terminal, whatever the output is', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-errors-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, 'bad.yaml'), 'name: x\nsteps:\n  a: { use: dataset.ensur, with: { slug: a } }\n');
  const { err } = await portolan(['plan', 'bad.yaml'], { cwd, tty: true, errorTty: false, columns: 30 });
  expect(err).not.toContain('\x1b');
  expect(err).toMatch(/^bad\.yaml:3:\d+ {2}unknown-step {2}.*did you mean 'dataset\.ensure'\?.*$/m);
  const shown = await portolan(['plan', 'bad.yaml'], { cwd, tty: false, errorTty: true, columns: 30 });
  expect(shown.err).toContain('\x1b[31m');
});

test('each of the two streams has a width of its own: what goes into a pipe has not that of the terminal', () => {
  for (const [stream, columns] of [
    ['stdout', 50],
    ['stderr', 30],
  ] as const) {
    const before = Object.getOwnPropertyDescriptor(process[stream], 'columns');
    Object.defineProperty(process[stream], 'columns', { value: columns, configurable: true, writable: true });
    onTestFinished(() => {
      if (before) Object.defineProperty(process[stream], 'columns', before);
      else Reflect.deleteProperty(process[stream], 'columns');
    });
  }
  const terminal = createTerminal({ env: {} });
  expect([terminal.size().columns, terminal.error.columns()]).toEqual([50, 30]);
  Object.defineProperty(process.stdout, 'columns', { value: undefined, configurable: true, writable: true });
  expect(createTerminal({ env: {} }).size().columns).toBe(100);
});

test('a terminal whose size nobody has set is as wide and high as any other output', () => {
  expect(createTerminal({ tty: true, columns: 0, rows: 0, env: {} }).size()).toEqual({ columns: 100, rows: 40 });
});

test.each([0, 1, 5, 24])('pages are shown on a terminal of %i columns', async (columns) => {
  for (const argv of [['help'], ['run', '--help'], ['call'], ['call', 'maps.user.get', '--describe'], ['steps', 'dataset.append']])
    expect(await portolan(argv, { tty: true, columns })).toMatchObject({ code: 0, err: '' });
});

test('a wrong command line ends 2 also where nobody reads what it says', async () => {
  const command = ['--disable-warning=ExperimentalWarning', here('cli/bin.ts'), 'frobnicate'];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.destroy();
  expect(await once(child, 'exit')).toEqual([2, null]);
});

test('bin checks Node before it imports anything', () => {
  const text = readFileSync(here('cli/bin.ts'), 'utf8');
  expect(text.startsWith('#!/usr/bin/env node\n')).toBe(true);
  expect(text).not.toMatch(/^import /m);
  expect(text.indexOf("'Portolan needs Node ≥ 22.18; this is '")).toBeLessThan(text.indexOf('import('));
});
