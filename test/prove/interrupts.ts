import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTemporal, keptBinary } from '../../dev/temporal/binary.ts';
import { root } from '../../scripts/sources.mjs';
import { createWorld, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { flightsFile } from './support-flights.ts';
import { processesIn, sleepUntilNone, spawnCommand, type Command } from './support-interrupted.ts';

const pipeline = `name: interrupted
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true } } }
`;

/** What became of a command and its run. `unsaid`: there is a run that the command did not name. */
type Fate = 'ended' | 'goes on' | 'nothing started' | 'unsaid' | `wrong: ${string}`;

let slugs = 0;

/**
 * One `portolan run` with Ctrl-C after so many milliseconds; the run, if there is one, is waited for. `deaf`: nothing that the command
 * says is heard, as if it had not said it.
 */
async function interrupted(world: World, file: string, afterMs: number, { deaf = false } = {}): Promise<{ fate: Fate; ms: number }> {
  const dataset = `interrupted-${++slugs}`;
  const args = ['run', file, '-c', 'local', '-p', `source=${flightsFile('2k')}`, '-p', `dataset=${dataset}`];
  const known = new Set(await runsOf(world));
  const command = spawnCommand(args, world.dir);
  command.signalAfter(afterMs, 'SIGINT');
  const { code, said: all, ms } = await command.ended;
  const said = deaf ? '' : all;
  const made = (await runsOf(world)).filter((run) => !known.has(run));
  for (const run of made) {
    const waited = await world.portolan(['wait', run]);
    if (waited.code !== 0) return { fate: `wrong: run ${run} ended ${waited.code}: ${waited.out}${waited.err}`, ms };
  }
  return { fate: judged(code, said, made), ms };
}

function judged(code: number | null, said: string, made: readonly string[]): Fate {
  if (made.some((run) => !said.includes(run))) return 'unsaid';
  // A signal that comes when the end of the run has been said, and the process is being torn down, ends it as it ends any process.
  if (made.length === 1 && (code === 0 || (code === null && / done in /.test(said)))) return 'ended';
  if (code === 130 && made.length === 1 && said.includes('goes on without this command')) return 'goes on';
  // A signal that comes before the command has begun ends it as it ends any process.
  if (made.length === 0 && (code === null || (code === 130 && /nothing was started|^\s*$/.test(said)))) return 'nothing started';
  return `wrong: exit ${code}, ${made.length} runs: ${said.replace(/\s+/g, ' ').slice(0, 300)}`;
}

const runsOf = async (world: World): Promise<string[]> =>
  (await world.portolan(['runs', '--limit', '1000', '--json'])).out
    .split('\n')
    .filter(Boolean)
    .map((each) => (JSON.parse(each) as { run: string }).run);

const countsOf = (fates: readonly string[]): string =>
  [...new Set(fates)].map((fate) => `${fate} ${fates.filter((each) => each === fate).length}`).join(', ');

async function ofRuns(moments: number, note: (text: string) => void): Promise<Line[]> {
  await using bundle = await createBundle();
  await using world = await createWorld({ bundle: bundle.path });
  const file = await world.pipeline(pipeline);
  const calm = await interrupted(world, file, 600_000);
  note(`undisturbed: ${calm.fate}, ${(calm.ms / 1_000).toFixed(1)} s`);
  const at = (moment: number): number => (moment / moments) * calm.ms;
  const fates: Fate[] = [];
  for (let moment = 0; moment < moments; moment++) fates.push((await interrupted(world, file, at(moment))).fate);
  const unheard = (await interrupted(world, file, at(moments), { deaf: true })).fate;
  const wrong = fates.filter((fate) => fate === 'unsaid' || fate.startsWith('wrong'));
  return [
    line(
      `run, Ctrl-C at ${moments} moments of ${(calm.ms / 1_000).toFixed(1)} s`,
      countsOf(fates),
      'either nothing was started, or the run is named and ends well',
      calm.fate === 'ended' && wrong.length === 0 && fates.includes('goes on') && fates.includes('nothing started'),
    ),
    line('control, a run whose command is not heard', unheard, 'unsaid', unheard === 'unsaid'),
  ];
}

/** `portolan dev` in a folder of its own, interrupted after so many milliseconds. Returns what was left running, and for how long it lived. */
async function devInterrupted(
  folder: string,
  stop: (command: Command) => Promise<void>,
): Promise<{ left: string[]; ran: number; file: boolean }> {
  const command = spawnCommand(['dev', '--embedding', 'lexical', '--temporal-source', 'kept'], folder);
  await stop(command);
  const ran = (await processesIn(folder)).length;
  command.signalAfter(0, 'SIGINT');
  await command.ended;
  const left = await sleepUntilNone(() => processesIn(folder), 20_000);
  const file = await readFile(join(folder, '.portolan', 'dev.json')).then(
    () => true,
    () => false,
  );
  return { left, ran, file };
}

async function ofDev(moments: number, note: (text: string) => void): Promise<Line[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-interrupts-'));
  try {
    const { path } = await findTemporal({ dir: join(root, '.portolan'), report: () => undefined });
    const binary = keptBinary(join(folder, '.portolan'));
    await mkdir(dirname(binary), { recursive: true });
    await symlink(path, binary);
    await writeFile(join(folder, 'portolan.config.mts'), 'export default {};\n');
    const from = performance.now();
    const whole = await devInterrupted(folder, ({ saying }) => saying('Ctrl-C stops'));
    const wholeMs = performance.now() - from;
    note(`dev until it is ready: ${(wholeMs / 1_000).toFixed(1)} s, ${whole.ran} processes`);
    const left: string[] = [];
    let files = 0;
    for (let moment = 0; moment < moments; moment++) {
      const pause = (moment / moments) * wholeMs;
      const each = await devInterrupted(folder, () => new Promise((resolve) => setTimeout(resolve, pause)));
      left.push(...each.left);
      files += Number(each.file);
    }
    return [
      line(
        `dev, Ctrl-C at ${moments} moments of its start, and when it is ready: processes and dev.json left`,
        `${whole.left.length + left.length}, ${files + Number(whole.file)}${left.length > 0 ? `: ${left.join('; ')}` : ''}`,
        '0, 0',
        whole.left.length + left.length + files + Number(whole.file) === 0,
      ),
      line('control, processes that are found while it is ready', whole.ran, '≥ 4', whole.ran >= 4),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export const proof: Proof = {
  name: 'interrupts',
  sets: ['user'],
  what: 'Ctrl-C at any moment: of a run either nothing was started, or it is named and goes on; of dev nothing is left',
  async run({ note, rounds }) {
    return [...(await ofRuns(30 * rounds, note)), ...(await ofDev(8 * rounds, note))];
  },
};
