import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/sources.mjs';
import { line, type Line, type Proof } from './proof.ts';
import { installNode, megabytes, shell, type Ended } from './support-node.ts';

/** A user's first minute, as it stands in README.md, after the Node that it really runs on; and the sample codes of the package. */
const firstMinute = [
  'node --version',
  'npm i ./portolan-*.tgz',
  'npx portolan init',
  'npx portolan step new greet',
  'npx portolan dev --detach',
  'npx portolan run pipelines/hello.yaml --connection local',
  `npx portolan call instance.codes.search --json '{"query": "width of doors", "jurisdiction": "harborland", "codeType": "building"}' -c local`,
  'npx portolan dev --stop',
].join(' && ');

const folders = { 'an empty folder': 'true', 'a folder of npm init -y': 'npm init -y' };

export const proof: Proof = {
  name: 'install',
  sets: ['shape'],
  what: 'the packed tarball in a project of one’s own, on the oldest and the newest Node, and refused on an older one',
  async run({ note }) {
    const temporary = await mkdtemp(join(tmpdir(), 'portolan-install-'));
    try {
      const tarball = await pack(temporary);
      const lines = await contents(tarball);
      for (const version of ['22.18.0', '24']) {
        const node = await installNode(temporary, version);
        for (const [name, prepare] of Object.entries(folders)) {
          note(`Node ${version}, ${name}`);
          lines.push(
            ...(await wholeMinute(await project(temporary, tarball), { node, version, name: `Node ${version}, ${name}`, prepare }, note)),
          );
        }
      }
      note('Node 20');
      lines.push(await refused(await project(temporary, tarball), await installNode(temporary, '20')));
      return lines;
    } finally {
      await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};

type Cell = { node: string; version: string; name: string; prepare: string };

async function wholeMinute(folder: string, { node, version, name, prepare }: Cell, note: (line: string) => void): Promise<Line[]> {
  const started = performance.now();
  const done = await shell(`${prepare} && ${firstMinute}`, folder, node);
  const seconds = (performance.now() - started) / 1_000;
  if (done.code !== 0) await shell('npx portolan dev --stop', folder, node);
  const greeted = /greeted\s+3/.test(done.stdout);
  const cited = done.stdout.includes('harborland');
  const ran = said(done).some((text) => `${text}.`.startsWith(`v${version}.`));
  const ok = done.code === 0 && greeted && cited && ran;
  const tail = ok ? '' : `: ${said(done).slice(-6).join(' | ')}`;
  const types = await authorTypes(folder);
  note(`${name}: node_modules has ${await megabytes(join(folder, 'node_modules'), node)} MB`);
  return [
    line(
      `${name}: from npm i to dev --stop`,
      `exit ${done.code}, ${greeted ? '3 greeted' : 'nobody greeted'}, sample codes ${cited ? 'found' : 'not found'}, ${seconds.toFixed(0)} s${tail}`,
      'exit 0, 3 greeted, sample codes found',
      ok,
    ),
    line(`${name}: types for authors`, types.good, 'no finding', types.good === 'no finding'),
    line(`${name}: control, a step with a wrong output`, types.planted, 'found', types.planted === 'found'),
  ];
}

/** Checks the files that `init` and `step new` wrote, then the same with a planted mistake. */
async function authorTypes(folder: string): Promise<{ good: string; planted: string }> {
  const tsc = `node ${join(root, 'node_modules', 'typescript', 'bin', 'tsc')} -p .`;
  const good = await shell(tsc, folder, dirname(process.execPath));
  const wrong = `import { defineStep, z } from 'portolan';\nexport default defineStep({ name: 'own.wrong', summary: 'Wrong.', input: z.object({}), output: z.object({ n: z.int() }), effect: 'safe', async run() { return { n: 'one' }; } });\n`;
  await mkdir(join(folder, 'steps'), { recursive: true });
  await writeFile(join(folder, 'steps', 'wrong.mts'), wrong);
  const planted = await shell(tsc, folder, dirname(process.execPath));
  return {
    good: good.code === 0 ? 'no finding' : good.stdout.split('\n')[0]!,
    planted: /wrong\.mts.*error TS/.test(planted.stdout) ? 'found' : 'not found',
  };
}

async function refused(folder: string, node: string): Promise<Line> {
  await shell('npm i ./portolan-*.tgz', folder, node);
  const ended = await shell('npx portolan init', folder, node);
  const lines = said(ended);
  return line(
    'Node 20: refused',
    `exit ${ended.code}: ${lines.join(' | ')}`,
    'exit 2, one line and its remedy',
    ended.code === 2 && lines.length === 2 && lines[1]!.startsWith('  install'),
  );
}

/** What the tarball holds: compiled code, and no TypeScript that Node would have to run. */
async function contents(tarball: string): Promise<Line[]> {
  const { stdout } = await shell(`tar tzf ${tarball}`, dirname(tarball), dirname(process.execPath));
  const files = stdout
    .split('\n')
    .filter(Boolean)
    .map((file) => file.replace(/^package\//, ''));
  if (!files.includes('dist/cli/bin.js')) throw new Error('the tarball holds no dist/: npm run build');
  const sources = files.filter((file) => /\.[mc]?ts$/.test(file) && !/\.d\.[mc]?ts$/.test(file));
  const strangers = files.filter(
    (file) =>
      !/^(dist\/|docs\/(spec\/|json\/|alerts\/)?[\w.-]+$|pipelines\/[\w-]+\.yaml$|package\.json$|LICENSE$|(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md$)/.test(
        file,
      ),
  );
  const { size } = await stat(tarball);
  return [
    line('tarball: TypeScript sources', sources.length === 0 ? '0' : sources.join(', '), '0', sources.length === 0),
    line('tarball: files that a user does not need', strangers.length === 0 ? '0' : strangers.join(', '), '0', strangers.length === 0),
    line('tarball: size', `${(size / 1e6).toFixed(2)} MB, ${files.length} files`, '≤ 3 MB', size <= 3e6),
  ];
}

async function pack(to: string): Promise<string> {
  await shell(`npm pack --ignore-scripts --pack-destination ${to}`, root, dirname(process.execPath));
  const name = (await readdir(to)).find((file) => file.endsWith('.tgz'));
  if (!name) throw new Error('npm pack made no tarball');
  return join(to, name);
}

async function project(temporary: string, tarball: string): Promise<string> {
  const folder = await mkdtemp(join(temporary, 'project-'));
  await cp(tarball, join(folder, tarball.slice(dirname(tarball).length + 1)));
  return folder;
}

/** What a command printed, without npm's own warnings. */
const said = ({ stdout, stderr }: Ended): string[] =>
  `${stdout}${stderr}`.split('\n').filter((text) => text !== '' && !text.startsWith('npm '));
