import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunView } from '../../workflows/messages.ts';
import type { World } from '../support/world.ts';
import { outputOf, startText } from './support-run.ts';

const file = readFileSync(new URL('../../pipelines/documents.yaml', import.meta.url), 'utf8');

/** Five hundred documents, scans among them, beside other work. */
const longestMs = 3_600_000;

/** What is held while a process is killed; of a held parse nobody may know afterwards whether it was taken. */
export type Kill = { who: 'worker' | 'service'; at: string; hold: 'before' | 'after' };

export const killed = (who: Kill['who'], at: string, ...holds: Kill['hold'][]): Kill[] => holds.map((hold) => ({ who, at, hold }));

export type Calls = Record<string, number>;

/** `tolerate`: damaged files are among them, so that how many may fail is no question by itself. */
export function createJob(world: World, folder: string, dataset: string, { tolerate = 'failed: 100%' }: { tolerate?: string } = {}) {
  const text = file.replace('failed: 10%', tolerate);
  const path = (name: string): string => join(world.dir, folder, name);
  const start = (more: Record<string, unknown> = {}) =>
    startText(world, text, { files: path('*'), dataset, query: 'ships', ...more }, { accept: ['chunks'] });
  /** A run to its end, with the calls that the service answered for it. */
  const run = async (
    during: (run: Awaited<ReturnType<typeof start>>) => Promise<unknown> = async () => undefined,
    more = {},
  ): Promise<{ view: RunView; calls: Calls }> => {
    const before = new Set((await world.control.requests()).rows.map(({ request_id, at }) => `${request_id} ${at}`));
    const started = await start(more);
    const ended = started.ended(longestMs);
    // What waits for a call of a run that has ended would wait for it in vain.
    const tooEarly = ended.then(({ state }) =>
      Promise.reject(new Error(`the run ended ${state} before all that was to be done meanwhile`)),
    );
    await Promise.race([during(started), tooEarly]);
    const view = await ended;
    const calls: Calls = {};
    for (const { request_id, at, operation } of (await world.control.requests()).rows)
      if (!before.has(`${request_id} ${at}`)) calls[operation] = (calls[operation] ?? 0) + 1;
    return { view, calls };
  };
  const aim = ({ at, hold }: Kill) => world.control.fault(at, 1, { hold });
  /** Kills a process while a call is held by the fault, and starts it again. */
  const strike = async ({ who, at }: Kill, fault: Awaited<ReturnType<typeof aim>>): Promise<void> => {
    // What is put on a map comes after all documents are read.
    if (!(await world.control.held(fault.id, longestMs))) throw new Error(`no call of ${at} was held`);
    await world[who].kill();
    if (who === 'service') await world.service.start();
    else await Promise.all([world.control.release(fault.id), world.worker.start(0)]);
  };
  /** A run to its end, with a process killed while a call is held. */
  const runKilled = async (kill: Kill, more = {}): Promise<{ view: RunView; calls: Calls }> => {
    const fault = await aim(kill);
    return run(() => strike(kill, fault), more);
  };
  return {
    path,
    write: (name: string, content: string | Uint8Array): Promise<string> => world.write(join(folder, name), content),
    run,
    runKilled,
    strike: async (kill: Kill) => strike(kill, await aim(kill)),
  };
}

export type Job = ReturnType<typeof createJob>;

/** Fates by how many have them, without what the step counts beside them. */
export const fatesOf = (view: RunView): Record<string, number> => {
  const { parsed, present, failed, unknown } = outputOf(view, 'read') as Record<string, number>;
  return { parsed: parsed!, present: present!, failed: failed!, unknown: unknown! };
};
