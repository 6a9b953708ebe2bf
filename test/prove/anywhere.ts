import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fileOnPage } from '../support/pages/blocks.ts';
import { createPlaces, packAndInstall, type Package } from '../support/pages/places.ts';
import { shell, type Ended } from '../support/pages/shell.ts';
import { line, type Line, type Proof } from './proof.ts';

/** Names that mean something to URLs, shells, patterns or file systems. */
const names: readonly string[] = ['a#b?c=1&d', '100%25 of a%20b', "it's a ñandú 日本", '[1] {a,b} * $HOME', 'x'.repeat(200)];

export const proof: Proof = {
  name: 'anywhere',
  sets: ['user'],
  what: 'dev, runs, own steps, reports and a second start in folders of unusual names; the demo in a project made from the tarball',
  async run({ note, only }) {
    await using made = await packAndInstall();
    const lines: Line[] = [];
    for (const name of names.filter((each) => only === undefined || each.includes(only))) {
      note(name.slice(0, 40));
      lines.push(await inFolder(made, name));
    }
    if (only === undefined || only === 'demo') {
      note('the demo');
      lines.push(...(await demo(made)));
    }
    return lines;
  },
};

type Act<T> = (run: (command: string) => Promise<Ended>, dir: string) => Promise<T>;

async function inProject<T>(made: Package, name: string, act: Act<T>): Promise<T> {
  await using places = await createPlaces(made);
  const { dir: scratch, env } = await places.open('scratch');
  const dir = join(scratch, name);
  await promisify(execFile)('cp', ['-al', made.installed, dir]);
  const run = (command: string): Promise<Ended> => shell(command, { dir, env });
  try {
    return await act(run, dir);
  } finally {
    await run('npx portolan dev --stop');
  }
}

const inFolder = (made: Package, name: string): Promise<Line> =>
  inProject(made, name, async (run, dir) => {
    const started = performance.now();
    await mkdir(join(dir, 'data'));
    await writeFile(join(dir, 'data', 'films.csv'), fileOnPage('docs/tutorial.md', 'data/films.csv'));
    const commands = [
      'npx portolan init --from data/films.csv',
      'npx portolan init && npx portolan step new greet',
      'npx portolan dev --detach --embedding lexical',
      'npx portolan run pipelines/films.yaml -p source=data/films.csv -c local',
      'npx portolan run pipelines/hello.yaml',
      'npx portolan dev --stop && npx portolan dev --detach --embedding lexical',
      'npx portolan doctor',
      'npx portolan report',
    ];
    let trouble = '';
    let report = '';
    for (const command of commands) {
      const { code, out, said } = await run(command);
      report = out.trim().split('\n').at(-1) ?? '';
      if (code === 0) continue;
      trouble = `${command}: exit ${code}: ${said.slice(-500)}`;
      break;
    }
    if (trouble === '') trouble = await outside(dir, report);
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    return line(
      name.length > 60 ? `a name of ${name.length} characters` : name,
      trouble || `all well, ${seconds} s`,
      'every command ends with 0',
      trouble === '',
    );
  });

/** What a run left at another place than its project's, or the report that is not where it is said to be. */
async function outside(dir: string, report: string): Promise<string> {
  const beside = (await readdir(dirname(dir))).filter((name) => join(dirname(dir), name) !== dir);
  if (beside.length > 0) return `beside the folder: ${beside.join(', ')}`;
  if (!existsSync(join(dir, '.portolan', 'temporal.db'))) return `no database in ${(await readdir(join(dir, '.portolan'))).join(', ')}`;
  const place = report.startsWith('file:') ? fileURLToPath(report) : join(dir, report);
  return existsSync(place) ? '' : `no report at ${report}`;
}

async function demo(made: Package): Promise<Line[]> {
  const lines: Line[] = [];
  await inProject(made, 'demo of mine', async (run) => {
    const first = await run('npx portolan demo');
    const journal = /journal +(.*)/.exec(first.said)?.[1] ?? first.said.slice(-400);
    const again = await run('npx portolan demo');
    lines.push(
      line(
        'the demo in a project of one’s own',
        `exit ${first.code}, ${journal}`,
        'exit 0, 0 repeated, 0 early',
        first.code === 0 && / 0 repeated/.test(journal) && / 0 calls before their Retry-After/.test(journal),
      ),
      line(
        'the demo again',
        `exit ${again.code}, ${/journal +(.*)/.exec(again.said)?.[1] ?? again.said.slice(-200)}`,
        'exit 0, 0 effects',
        again.code === 0 && /journal +0 effects/.test(again.said),
      ),
    );
  });
  await inProject(made, 'broken demo', async (run) => {
    await run('mkdir -p demo/pipelines && echo "name: ingest" > demo/pipelines/ingest.yaml');
    const started = performance.now();
    const failed = await run('npx portolan demo');
    const seconds = (performance.now() - started) / 1_000;
    const status = await run('npx portolan dev --stop');
    lines.push(
      line(
        'control, a demo that cannot run',
        `exit ${failed.code} after ${seconds.toFixed(0)} s, ${/does not run here/.test(status.said) ? 'nothing runs' : 'something runs'}`,
        'not 0, within 100 s, nothing left running',
        failed.code !== 0 && seconds < 100 && /does not run here/.test(status.said),
      ),
    );
  });
  return lines;
}
