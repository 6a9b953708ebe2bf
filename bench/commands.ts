import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { line } from '../test/prove/proof.ts';
import { inPairs, type Bench } from './bench.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const portolan = join(root, 'dist/cli/bin.js');

/** What a command takes at most, as a multiple of an empty Node process: milliseconds would measure the machine. */
const waits: Readonly<Record<string, { args: string[]; most: number }>> = {
  help: { args: ['--help'], most: 3 },
  validate: { args: ['validate', 'pipelines/films.yaml'], most: 20 },
};

const greet = `import { defineStep, z } from 'portolan';
export default defineStep({
  name: 'bench.greet',
  input: z.strictObject({ names: z.array(z.string()) }),
  output: z.object({ count: z.int() }),
  effect: 'safe',
  run: ({ names }) => ({ count: names.length }),
});
`;

const films = `name: films
params: { source: { type: path, default: ../films.csv }, genre: { type: string, default: Crime } }
steps:
  dataset: { use: dataset.ensure, with: { slug: films } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }, columns: { title: title, genre: genre } }
  map: { use: index.build, needs: [rows], with: { dataset: "\${{ steps.dataset.id }}", embed: title } }
  crime: { use: points.select, with: { map: "\${{ steps.map.id }}", where: { category: genre, in: ["\${{ params.genre }}"] } } }
  greet: { use: bench.greet, with: { names: ["\${{ params.genre }}"] } }
outputs: { count: "\${{ steps.crime.count }}" }
`;

/** A project with an own step, a table and a pipeline that names both; removed at the end. */
async function createProject(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-bench-'));
  for (const folder of ['pipelines', 'steps', 'node_modules']) await mkdir(join(dir, folder));
  symlinkSync(root, join(dir, 'node_modules/portolan'));
  await writeFile(join(dir, 'portolan.config.mts'), "import { defineConfig } from 'portolan';\nexport default defineConfig({});\n");
  await writeFile(join(dir, 'steps/greet.mts'), greet);
  await writeFile(
    join(dir, 'films.csv'),
    `key,title,genre\n${Array.from({ length: 1_000 }, (_, at) => `k${at},Film ${at},Crime`).join('\n')}\n`,
  );
  await writeFile(join(dir, 'pipelines/films.yaml'), films);
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

/** Milliseconds of a whole process, from its start to its end. */
function took(dir: string, args: readonly string[]): number {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return performance.now() - started;
}

export const bench: Bench = {
  name: 'commands',
  what: 'milliseconds of whole commands in a project with an own step, a table and five steps, against an empty Node process',
  async run({ note, pairs }) {
    await using project = await createProject();
    const lines = [];
    const figures: Record<string, number> = {};
    for (const [name, { args, most }] of Object.entries(waits)) {
      took(project.dir, [portolan, ...args]);
      const { ours, baseline, ratio } = await inPairs(
        pairs * 2,
        async () => took(project.dir, [portolan, ...args]),
        async () => took(project.dir, ['-e', '0']),
        note,
      );
      lines.push(
        line(
          `portolan ${args.join(' ')}`,
          `${ratio.toFixed(1)} of an empty process (${ours.toFixed(0)} ms, ${baseline.toFixed(0)} ms)`,
          `≤ ${most}`,
          ratio <= most,
        ),
      );
      figures[`${name}_ms`] = ours;
      figures[name] = ratio;
    }
    return { lines, figures };
  },
};
