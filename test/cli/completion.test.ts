import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { argumentAt, complete } from '../../cli/completion/complete.ts';
import { scripts, type Shell } from '../../cli/completion/scripts.ts';
import { sources } from '../../cli/completion/sources.ts';
import { verbs } from '../../cli/verbs/index.ts';
import { root } from '../../scripts/sources.mjs';
import { createMarks } from '../../store/marks.ts';

const execute = promisify(execFile);

let dir: string;

const runs = ['films-2026-11-22-aa11', 'films-2026-11-22-bb22'];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-completion-'));
  await mkdir(join(dir, 'bin'));
  await mkdir(join(dir, 'data dir'));
  await mkdir(join(dir, 'pipelines'));
  await writeFile(
    join(dir, 'pipelines', 'films.yaml'),
    'name: films\nparams:\n  source: { type: path }\n  dataset: { type: slug }\nsteps:\n  rows: { use: dataset.append }\n  map: { use: index.build }\n',
  );
  await writeFile(join(dir, 'data dir', 'films one.csv'), 'a\n1\n');
  for (const run of runs) {
    const folder = join(dir, '.portolan', 'runs', run);
    await mkdir(folder, { recursive: true });
    const record = {
      run,
      workflowId: run,
      store: `file://${folder}`,
      pipeline: 'films',
      startedAt: `2026-11-22T1${runs.indexOf(run)}:00:00.000Z`,
      startedBy: 'you',
    };
    await writeFile(join(folder, 'run.json'), JSON.stringify(record));
    await writeFile(
      join(folder, 'plan.json'),
      JSON.stringify({
        steps: [
          { id: 'rows', use: 'dataset.append' },
          { id: 'review', use: 'gate.approve' },
        ],
      }),
    );
  }
  const marked = { pipeline: 'ingest', step: 'rows', connection: 'local', dataset: 'films', source: 'films.csv' };
  await createMarks(join(dir, '.portolan', 'runs')).set(0, { ...marked, from: null, to: null, by: 'you' });
  const command = `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${join(root, 'cli', 'bin.ts')}' "$@"\n`;
  await writeFile(join(dir, 'bin', 'portolan'), command);
  await chmod(join(dir, 'bin', 'portolan'), 0o755);
  for (const shell of ['bash', 'zsh', 'fish'] as const) await writeFile(join(dir, `completion.${shell}`), scripts[shell]);
});

afterAll(() => rm(dir, { recursive: true, force: true }));

const at = async (...words: string[]): Promise<string[]> => (await complete(words, { cwd: dir, verbs })).words.map(({ word }) => word);

test('verbs, options and arguments come from the table of verbs', async () => {
  expect(await at('')).toEqual(verbs.map(({ name }) => name));
  expect(await at('stat')).toEqual(['status']);
  expect(await at('plan', '--o')).toEqual(['--offline', '--operations']);
  expect(await at('plan', '--offline', '--o'), 'an option is offered once').toEqual(['--operations']);
  expect(await at('run', '-p', 'a=b', '--par'), 'one that may be repeated again').toEqual(['--param', '--params']);
  expect(await at('status', '')).toEqual(runs.toReversed());
  expect(await at('approve', runs[0]!, '')).toEqual(['rows', 'review']);
  expect(await at('rerun', runs[0]!, '--from', 're')).toEqual(['review']);
  expect(await at('run', 'pipelines/films.yaml', '--accept', '')).toEqual(['rows', 'map']);
  expect(await at('run', 'pipelines/films.yaml', '-p', 'd')).toEqual(['dataset=']);
  expect(await at('run', 'pipelines/films.yaml', '--connection=l')).toEqual(['--connection=local']);
  expect(await at('steps', 'index.')).toEqual(['index.build', 'index.update']);
  expect(await at('call', 'maps.uploads.')).toContain('maps.uploads.start');
  expect(await at('step', '')).toEqual(['new', 'test']);
  expect(await at('watermark', '')).toEqual(['show', 'set']);
  expect(await at('watermark', 'show', '')).toEqual(['ingest']);
  expect(await at('watermark', 'set', 'ingest', '')).toEqual(['rows']);
  expect(await at('help', 'comp')).toEqual(['completion']);
  expect(await at('nothing', '')).toEqual([]);
  expect(await complete(['run', ''], { cwd: dir, verbs })).toEqual({ words: [], files: true });
  expect(await complete(['status', runs[0]!, ''], { cwd: dir, verbs })).toEqual({ words: [], files: false });
});

test('every argument of every verb has something to offer', async () => {
  for (const entry of verbs) {
    const verb = await entry.load();
    const names = verb.usage.split(' ').filter(Boolean);
    for (const place of names.keys()) {
      const argument = argumentAt(verb.usage, place)!;
      expect(argument === 'WORD' || argument in sources, `${entry.name} ${argument}`).toBe(true);
    }
  }
});

const hasShell = (shell: Shell): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** What each shell offers for a line that ends where the cursor is. */
const ask: Readonly<Record<Shell, (line: string) => string[]>> = {
  bash: (line) => {
    // As readline splits it: at blanks and at '='.
    const words = line.split(/\s+|(?<==)|(?==)/).map((word) => `'${word}'`);
    return [
      '-c',
      `source ./completion.bash; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _portolan; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ];
  },
  zsh: (line) => [
    '-fc',
    `autoload -Uz compinit; compinit -u -d '${dir}/zcompdump'; source ./completion.zsh
     _describe() { local each; for each in "\${(@P)2}"; do print -r -- "\${\${each//\\\\:/;}%%:*}"; done; }
     _files() { print -r -- FILES; }; compset() { : }
     words=(${line
       .split(' ')
       .map((word) => `'${word}'`)
       .join(' ')}); CURRENT=\${#words}; _portolan`,
  ],
  fish: (line) => ['--no-config', '-c', `source ./completion.fish; complete -C '${line}'`],
};

async function offered(shell: Shell, line: string): Promise<string[]> {
  const env = { PATH: [join(dir, 'bin'), process.env['PATH']].join(delimiter), HOME: dir, TERM: 'dumb' };
  const { stdout } = await execute(shell, ask[shell](line), { cwd: dir, env });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((each) => each.split('\t', 1)[0]!);
}

describe.each(['bash', 'zsh', 'fish'] as const)('in a real %s', (shell) => {
  test.skipIf(!hasShell(shell))(
    'verbs, options, runs, steps and parameters are completed',
    async () => {
      expect(await offered(shell, 'portolan stat')).toEqual(['status']);
      expect(await offered(shell, 'portolan plan --off')).toEqual(['--offline']);
      expect((await offered(shell, 'portolan status ')).toSorted()).toEqual(runs);
      expect((await offered(shell, `portolan approve ${runs[0]} `)).toSorted()).toEqual(['review', 'rows']);
      expect(await offered(shell, 'portolan run pipelines/films.yaml -p data')).toContain('dataset=');
      expect(await offered(shell, 'portolan run pipelines/films.yaml --connection=l')).toEqual([
        shell === 'bash' ? 'local' : '--connection=local',
      ]);
    },
    240_000,
  );

  test.skipIf(!hasShell(shell))(
    'names of files are the shell’s own',
    async () => {
      const found = await offered(shell, 'portolan run pipe');
      expect(found.map((name) => name.replace(/\/$/, ''))).toEqual([shell === 'zsh' ? 'FILES' : 'pipelines']);
      expect((await offered(shell, 'portolan run pipelines/films.yaml -p source=pipelines/f')).join()).toMatch(
        shell === 'zsh' ? /FILES/ : /pipelines\/films\.yaml/,
      );
    },
    240_000,
  );
});
