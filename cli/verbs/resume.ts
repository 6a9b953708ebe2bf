import { resumeRun } from '../../runs/control.ts';
import { findRunOrOpen } from '../../runs/newest.ts';
import { exit } from '../frame/exit.ts';
import { actOptions, whoIs, withRuns } from '../project/project.ts';
import { defineVerb } from '../frame/verb.ts';

export const resume = defineVerb({
  name: 'resume',
  summary: 'Let a paused run go on.',
  usage: '[RUN]',
  options: actOptions,
  examples: ['portolan resume ingest-2026-11-21-a7f3c09b --note "service window"'],
  run: (context) =>
    withRuns(context, async ({ place }) => {
      const found = await findRunOrOpen(place, context.args[0]);
      const { note } = context.options;
      await resumeRun(place, found, { who: whoIs(context), ...(note !== undefined && { note }) });
      context.terminal.out(`${found.run} goes on: portolan status ${found.run}\n`);
      return exit.done;
    }),
});
