import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startDev } from '../../dev/supervisor.ts';
import { keptBinary } from '../../dev/temporal/binary.ts';
import { root } from '../../scripts/sources.mjs';
import { sharedTemporal, temporaryFolder } from './support.ts';

beforeEach(() => vi.stubEnv('TEMPORAL_ADDRESS', undefined));
afterEach(() => vi.unstubAllEnvs());

const greet = `import { defineStep, z } from '${join(root, 'index.ts')}';
export default defineStep({ name: 'own.greet', summary: 'Greet.', input: z.strictObject({}), output: z.object({ hello: z.string() }), effect: 'safe', async run() { return { hello: 'you' }; } });
`;

const pipeline = `name: folder
params: { source: { type: path } }
steps:
  hello: { use: own.greet }
  dataset: { use: dataset.ensure, with: { slug: folder } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: text } }
outputs: { rows: "\${{ steps.rows.rows }}", hello: "\${{ steps.hello.hello }}" }
`;

const rows = Array.from({ length: 25 }, (_, at) => `${at},text ${at}`).join('\n');

/** A command as a user types it in a folder. */
const portolan = (args: string[], cwd: string): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const argv = ['--disable-warning=ExperimentalWarning', join(root, 'cli', 'bin.ts'), ...args];
    execFile(process.execPath, argv, { cwd }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err }),
    );
  });

/** Folders whose names mean something to URLs, patterns, shells or file systems. */
const names = ['a#b?c=1&d 100%25 of a%20b', "it's a ñandú 日本 [1] {a,b} * $HOME", 'x'.repeat(200)];

test.each(names)(
  'dev, a run with a table and an own step, its report and a second start stay in the folder %s',
  async (name) => {
    const above = temporaryFolder();
    // Where the folder of a project cannot hold its datasets, they lie in the user's own.
    vi.stubEnv('XDG_STATE_HOME', temporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const cwd = join(above, name);
    const binary = keptBinary(join(cwd, '.portolan'));
    mkdirSync(dirname(binary), { recursive: true });
    symlinkSync(await sharedTemporal(), binary);
    for (const folder of ['steps', 'pipelines', 'data']) mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, 'steps', 'greet.mts'), greet);
    writeFileSync(join(cwd, 'pipelines', 'folder.yaml'), pipeline);
    writeFileSync(join(cwd, 'data', 'rows #1?.csv'), `id,text\n${rows}\n`);
    const start = () => startDev({ cwd, embedding: 'lexical', temporalSource: 'kept', report: () => undefined });
    const first = await start();
    onTestFinished(() => first.stop());
    const ran = await portolan(['run', 'pipelines/folder.yaml', '-c', 'local', '-p', 'source=data/rows #1?.csv', '--json'], cwd);
    expect(ran, ran.err + ran.out).toMatchObject({ code: 0 });
    const result = JSON.parse(ran.out.trim().split('\n').at(-1)!) as { outputs: object; links: { report: string }; run: string };
    expect(result.outputs).toEqual({ rows: 25, hello: 'you' });
    expect(existsSync(join(cwd, result.links.report)), result.links.report).toBe(true);
    await first.stop();
    const second = await start();
    onTestFinished(() => second.stop());
    const after = await portolan(['status', result.run, '--json'], cwd);
    expect(after.code, 'the database of the first start is there again').toBe(0);
    expect(existsSync(join(cwd, '.portolan', 'temporal.db'))).toBe(true);
    expect(readdirSync(above), 'nothing lies beside the folder').toEqual([basename(cwd)]);
  },
  240_000,
);
