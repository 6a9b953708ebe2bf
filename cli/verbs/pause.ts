import { pauseRun } from '../../runs/control.ts';
import { findRunOrOpen } from '../../runs/newest.ts';
import { exit } from '../frame/exit.ts';
import { actOptions, whoIs, withRuns } from '../project/project.ts';
import { defineVerb } from '../frame/verb.ts';

export const pause = defineVerb({
  name: 'pause',
  summary: 'Start no further step or chunk until resumed.',
  usage: '[RUN]',
  options: actOptions,
  examples: ['portolan pause ingest-2026-11-21-a7f3c09b --note "service window"'],
  run: (context) =>
    withRuns(context, async ({ place }) => {
      const found = await findRunOrOpen(place, context.args[0]);
      const { note } = context.options;
      await pauseRun(place, found, { who: whoIs(context), ...(note !== undefined && { note }) });
      context.terminal.out(`${found.run} paused: chunks in flight end, nothing further starts; portolan resume ${found.run}\n`);
      return exit.done;
    }),
});
