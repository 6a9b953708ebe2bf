import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { openProject, type OpenProject } from '../../cli/start/open-project.ts';
import { hasEnded } from '../../workflows/interpreter/reduce.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { drawn, play, planOf, type Reducer } from '../workflows/random-programs.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { steer, text } from './support-many.ts';
import { onceStill } from './support-moving.ts';

/** Nothing of any run moves for so long: what is open then never ends. */
const stillMs = 300_000;

type Started = { runs: string[]; workflowIds: string[]; seconds: number };

async function start(stack: Stack, project: OpenProject, count: number, what: string): Promise<Started> {
  const file = join(stack.dir, 'one-of-many.yaml');
  await writeFile(file, text);
  const begun = performance.now();
  const started = await pLimit(16).map(
    Array.from({ length: count }, (_, at) => at),
    (at) => project.start(file, { dataset: `${what}-${at}` }, { connection: 'local' }),
  );
  return {
    runs: started.map(({ run }) => run),
    workflowIds: started.map(({ workflowId }) => workflowId),
    seconds: (performance.now() - begun) / 1_000,
  };
}

async function atOnce(stack: Stack, project: OpenProject, count: number): Promise<Line[]> {
  const { runs, workflowIds, seconds } = await start(stack, project, count, 'at-once');
  using still = onceStill(stack, workflowIds, stillMs);
  const views = await Promise.all(runs.map((run) => project.ended(run, still).catch(() => undefined)));
  const done = views.filter((view) => view?.state === 'done').length;
  const slugs = new Set(views.map((view) => view?.outputs?.['slug'])).size;
  return [
    line(
      `${count} runs at once: done, each on its own dataset`,
      `${done}, ${slugs} datasets`,
      `all ${count}`,
      done === count && slugs === count,
    ),
    line(
      'to start them by one program',
      `${seconds.toFixed(1)} s, ${((seconds / count) * 1_000).toFixed(0)} ms a run`,
      '≤ 0.9 s a run',
      seconds / count <= 0.9,
    ),
  ];
}

async function steered(stack: Stack, project: OpenProject, count: number): Promise<Line[]> {
  const { runs, workflowIds } = await start(stack, project, count, 'steered');
  using still = onceStill(stack, workflowIds, stillMs);
  const ends = await Promise.all(runs.map((run) => steer(stack, project, run, still.signal)));
  const stuck = ends.filter(({ view }) => !view);
  const other = ends.filter(({ view, cancelled }) => view && view.state !== 'done' && !(cancelled && view.state === 'cancelled'));
  const left = ends.flatMap((each) => each.left);
  return [
    line(
      `pause, resume and cancel at drawn moments over ${count} runs: runs that never end`,
      `${stuck.length}; ${ends.filter(({ view }) => view?.state === 'cancelled').length} cancelled`,
      '0',
      stuck.length === 0,
    ),
    line(
      'runs that end otherwise than they were steered',
      `${other.length}${other[0] ? `: ${other[0].run} ${other[0].view?.state} ${other[0].view?.error?.message ?? ''}` : ''}`,
      '0',
      other.length === 0,
    ),
    line('activities that a history began and left', `${left.length}${left[0] ? `: ${left[0]}` : ''}`, '0', left.length === 0),
  ];
}

/** Programs in which a key stands in flight without a command, or the other way round, or that never end. */
function programs(count: number, reducer?: Reducer): { stuck: number; lost: number } {
  let stuck = 0;
  let lost = 0;
  for (const [steps, events] of drawn(count)) {
    const { state, open, inflight } = play(planOf(steps), events, reducer);
    if (!hasEnded(state)) stuck++;
    if (JSON.stringify(open) !== JSON.stringify(inflight)) lost++;
  }
  return { stuck, lost };
}

/** A run that no worker serves is stuck, and is seen to be. */
async function control(stack: Stack): Promise<Line> {
  for (const index of [0, 1]) await stack.worker.stop(index);
  await using project = await openProject({ cwd: stack.dir });
  const { runs, workflowIds } = await start(stack, project, 1, 'unserved');
  using still = onceStill(stack, workflowIds, 5_000);
  const view = await project.ended(runs[0]!, still).catch(() => undefined);
  return line('control: a run that no worker serves counts as stuck', view ? view.state : 'stuck', 'stuck', view === undefined);
}

export const proof: Proof = {
  name: 'two-hundred',
  sets: ['floor'],
  what: '200 runs at once, and 100 that are paused, resumed and cancelled at drawn moments: none stuck, every key in flight has had a command',
  async run({ note, rounds, short }) {
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path, workers: 2 });
    const lines: Line[] = [];
    {
      await using project = await openProject({ cwd: stack.dir });
      lines.push(...(await atOnce(stack, project, short ? 30 : 200 * rounds)));
      note('the runs at once are over');
      lines.push(...(await steered(stack, project, short ? 15 : 100 * rounds)));
    }
    const { repeated } = await stack.control.journal();
    lines.push(line('effects repeated over all of them', repeated.length, '0', repeated.length === 0));
    const count = short ? 2_000 : 20_000;
    const sound = programs(count);
    lines.push(
      line(
        `${count.toLocaleString('en-US')} drawn programs on the reducer: keys in flight without a command, programs that never end`,
        `${sound.lost}, ${sound.stuck}`,
        '0, 0',
        sound.lost + sound.stuck === 0,
      ),
    );
    const { reduce } = await import('../../workflows/interpreter/reduce.ts');
    const forgetful = programs(500, (...args) => reduce(...args).slice(0, 2));
    lines.push(
      line(
        'control: a reducer that keeps a command to itself',
        `${forgetful.lost}, ${forgetful.stuck}`,
        '≥ 1, ≥ 1',
        forgetful.lost > 0 && forgetful.stuck > 0,
      ),
    );
    lines.push(await control(stack));
    return lines;
  },
};
