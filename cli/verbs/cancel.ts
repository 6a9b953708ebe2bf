import { cancelRun } from '../../runs/control.ts';
import { findRunOrOpen } from '../../runs/newest.ts';
import { exit } from '../frame/exit.ts';
import { withRuns } from '../project/project.ts';
import { defineVerb } from '../frame/verb.ts';

export const cancel = defineVerb({
  name: 'cancel',
  summary: 'End a run; what it has done stays done.',
  usage: '[RUN]',
  details: 'Nothing more is sent. What was sent has 5 s to be answered, and is counted; of what nobody answered the items are unknown.',
  options: {},
  examples: ['portolan cancel ingest-2026-11-21-a7f3c09b'],
  run: (context) =>
    withRuns(context, async ({ place }) => {
      const found = await findRunOrOpen(place, context.args[0]);
      await cancelRun(place, found);
      context.terminal.out(`${found.run} is being cancelled: calls in flight end, nothing is taken back; portolan status ${found.run}\n`);
      return exit.done;
    }),
});
