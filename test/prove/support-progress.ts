import { setTimeout as delay } from 'node:timers/promises';
import { isOver, readRun } from '../../runs/view.ts';
import type { Stack } from '../support/stack.ts';
import type { StartedRun } from './support-run.ts';

export type Progress = { looks: number; moves: number; longest: { seconds: number; during: string } };

/**
 * Looks at a run as the command line does, four times a second, and returns the longest time in which nothing that
 * it shows of the steps changed.
 */
export function sampleProgress(stack: Stack, run: StartedRun): { stop(): Promise<Progress> } {
  const seen: Progress = { looks: 0, moves: 0, longest: { seconds: 0, during: 'none' } };
  const place = { client: stack.client, storeRoot: run.root };
  const location = { run: run.id, workflowId: run.handle.workflowId, store: run.uri };
  let stopped = false;
  const sampling = (async () => {
    let last = '';
    let since = performance.now();
    let during = 'start';
    while (!stopped) {
      const { view } = await readRun(place, location);
      const now = performance.now();
      seen.looks += 1;
      const shown = JSON.stringify(view.steps.map(({ status, progress, counts }) => [status, progress, counts]));
      const over = isOver(view);
      if (shown !== last || over) {
        const seconds = (now - since) / 1_000;
        if (last !== '' && seconds > seen.longest.seconds) seen.longest = { seconds, during };
        since = now;
        last = shown;
        seen.moves += 1;
      }
      const step = view.steps.find(({ status }) => status === 'running');
      if (step) during = `${step.id}${step.progress ? ` ${step.progress.note ?? ''} at ${step.progress.done} ${step.progress.unit}` : ''}`;
      if (over) return;
      await delay(250);
    }
    const seconds = (performance.now() - since) / 1_000;
    if (seconds > seen.longest.seconds) seen.longest = { seconds, during };
  })();
  return {
    async stop() {
      stopped = true;
      await sampling;
      return seen;
    },
  };
}
