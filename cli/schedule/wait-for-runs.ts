import { setTimeout as pause } from 'node:timers/promises';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import { overStates } from '../../runs/end-states.ts';
import { listRuns, type RunLine } from '../../runs/list.ts';
import { readRunById } from '../../runs/view.ts';
import { findSchedule, type ScheduleState } from '../../runs/schedule/read.ts';
import { exit } from '../frame/exit.ts';
import type { VerbContext } from '../frame/verb.ts';
import { stateCode, type Project } from '../project/project.ts';

/** Between two looks. */
const everyMs = 500;

/** What leaves a run out while another one goes on; the others keep it for later, or let it begin at once. */
const leavingOut: readonly Schedule['overlap'][] = ['skip', 'bufferOne'];

/** Clocks of this host and of the server may differ by so much. */
const apartMs = 300_000;

/**
 * Waits for the runs that a schedule was asked to start for these times (ISO 8601), beside those that were there `before`: until each has ended, or was left out because one
 * went on, or waits for a person. Says on the way how many are over. Returns these runs, newest first, and the exit code of the command.
 */
export async function waitForRuns(
  { terminal, signal }: Pick<VerbContext, 'terminal' | 'signal'>,
  { place }: Project,
  { name, overlapped, missed, input }: ScheduleState,
  { due, before, overlap }: { due: readonly string[]; before: ReadonlySet<string>; overlap: Schedule['overlap'] },
): Promise<{ code: number; runs: RunLine[] }> {
  const times = new Set(due);
  const since = new Date(Date.now() - apartMs);
  let said = '';
  let asked: RunLine[] = [];
  while (!signal.aborted) {
    const [state, runs] = await Promise.all([
      findSchedule(place, name),
      listRuns(place, { limit: Infinity, schedule: name, since, store: input.start.store }),
    ]);
    asked = runs.filter(({ run, time }) => time !== undefined && times.has(time.scheduledAt) && !before.has(run));
    const over = asked.filter(({ state: is }) => overStates.has(is));
    // Times of the schedule itself, which come meanwhile, count there too.
    const leftOut = leavingOut.includes(overlap) ? state.overlapped - overlapped + (state.missed - missed) : 0;
    const left = leftOut > 0 ? `, ${leftOut} left out while one went on` : '';
    const line = `${over.length} of ${due.length} over${left}\n`;
    if (line !== said) terminal.err((said = line));
    const waiting = asked.find(({ state: is }) => is === 'approval');
    if (waiting) {
      terminal.err(`${waiting.run} waits for a person: portolan status ${waiting.run}\n`);
      return { code: exit.approval, runs: asked };
    }
    // A run takes the place of one that it would have to cancel and that has not begun: the last one alone is sure to come.
    const allCame =
      overlap === 'cancelOther'
        ? asked.some(({ time }) => time!.scheduledAt === due.at(-1))
        : over.length >= due.length || (over.length + leftOut >= due.length && state.kept === 0);
    if (allCame && over.length === asked.length) {
      const bad = over.filter(({ state: is }) => is !== 'done');
      for (const { run, state: is } of bad) terminal.err(`${run} ${is}: portolan why ${run}\n`);
      const codes = await Promise.all(bad.map(async ({ run }) => stateCode((await readRunById(place, run)).view)));
      return { code: codeOf(codes), runs: asked };
    }
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return { code: exit.interrupted, runs: asked };
}

/** The code that runs which did not end well have in common. */
const codeOf = ([first = exit.done, ...codes]: readonly number[]): number => (codes.every((code) => code === first) ? first : exit.failed);
