import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../support/world.ts';
import { outputOf, startText, type StartedRun } from './support-run.ts';

const dataset = `name: fed
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
`;

// The dataset is a text: of one that is known as a dataset a second run at once would be refused, and two at once are the point.
const pipeline = `name: feed
params: { source: { type: path }, dataset: { type: string } }
steps:
  rows:
    use: dataset.append
    with:
      dataset: \${{ params.dataset }}
      source: \${{ params.source }}
      id: { column: key }
      since: { column: updated, overlap: 1h }
`;

/** When a worker is killed: while the first call of an operation is held, or so many ms after the start. */
export type Moment = { operation: string; hold: 'before' | 'after' } | { ms: number };

/** A run may end so without harm: the next firing makes up for it. */
const harmless: readonly unknown[] = ['MarkMoved', 'Inconclusive'];

/** A source that grows, and runs that read it into one dataset since its mark. */
export async function createFeed(world: World, slug: string) {
  const project: string = outputOf(await (await startText(world, dataset, { dataset: slug })).ended(), 'dataset')['id'];
  const rows = new Map<string, { updated: string; n: number }>();
  const ends: Record<string, number> = {};
  const strange: string[] = [];
  let minutes = 0;
  let kills = 0;

  const timeOf = (behind: number): string => new Date(Date.UTC(2024, 0, 1, 0, minutes - behind)).toISOString();

  const ended = async (run: StartedRun): Promise<string> => {
    const { state, error } = await run.ended(300_000);
    const end = state === 'done' ? 'done' : `${state} ${error?.type}`;
    ends[end] = (ends[end] ?? 0) + 1;
    if (state !== 'done' && !harmless.includes(error?.type)) strange.push(`${run.id}: ${end}: ${error?.message}`);
    return end;
  };

  return {
    project,
    rows,
    ends,
    /** Runs that ended as none should. */
    strange,
    kills: () => kills,
    /** Adds rows to the source, so many minutes behind its newest. */
    add(count: number, behind = 0): void {
      for (let at = 0; at < count; at++) rows.set(`k${rows.size}`, { updated: timeOf(behind), n: rows.size });
    },
    /** Time goes on by ten minutes, in which rows came; one of them has the time of the newest before. */
    grow(): void {
      this.add(1);
      minutes += 10;
      this.add(4);
    },
    /** The source as it is now. A run that has begun to send goes on with what it has read. */
    file: (): Promise<string> =>
      world.write(
        `${slug}.json`,
        [...rows].map(([key, row]) => ({ key, ...row })),
      ),
    start: (source: string): Promise<StartedRun> => startText(world, pipeline, { source, dataset: project }),
    ended,
    /** Kills the worker by -9 and starts another one. */
    async kill(): Promise<void> {
      const { signal } = await world.worker.kill();
      if (signal === 'SIGKILL') kills++;
      await world.worker.start(0);
    },
    /** Runs of one source, started together, with a kill in between; returns how they ended. */
    async fire(source: string, { runs = 1, moment }: { runs?: number; moment?: Moment | undefined } = {}): Promise<string[]> {
      const held = moment && 'operation' in moment ? await world.control.fault(moment.operation, 1, { hold: moment.hold }) : undefined;
      const started = await Promise.all(Array.from({ length: runs }, () => this.start(source)));
      if (held && !(await world.control.held(held.id))) throw new Error(`${JSON.stringify(moment)} was not held: nothing is shown`);
      if (moment && 'ms' in moment) await sleep(moment.ms);
      if (moment) await this.kill();
      // What the dead worker has sent goes on its way beside the attempt that follows.
      if (held) await world.control.release(held.id);
      return Promise.all(started.map(ended));
    },
    /** Starts a run of a source and holds its rows on their way, until released. */
    async holdRows(source: string): Promise<{ run: StartedRun; release: () => Promise<unknown> }> {
      const { id } = await world.control.fault('maps.data.addArrow', 1, { hold: 'before' });
      const run = await this.start(source);
      if (!(await world.control.held(id))) throw new Error(`the rows of ${run.id} were not held: nothing is shown`);
      return { run, release: () => world.control.release(id) };
    },
    /** A person sets the mark back, by so many minutes behind the newest row. */
    async setBack(behind: number): Promise<void> {
      const { code, err } = await world.portolan(['watermark', 'set', 'feed', 'rows', timeOf(behind), '--dataset', project]);
      if (code !== 0) throw new Error(`watermark set ended ${code}: ${err}`);
    },
    /** The newest setting is gone, as on a disk that was put back from a copy. */
    async loseMark(): Promise<void> {
      const marks = join(world.place.storeRoot, 'marks');
      for (const folder of await readdir(marks)) {
        const newest = (await readdir(join(marks, folder)))
          .filter((name) => name.endsWith('.json'))
          .sort()
          .at(-1);
        if (newest !== undefined) await rm(join(marks, folder, newest));
      }
    },
  };
}

export type Feed = Awaited<ReturnType<typeof createFeed>>;
