import { findRunOrNewest } from '../../runs/newest.ts';
import { defineVerb } from '../frame/verb.ts';
import { withRuns } from '../project/project.ts';
import { followToEnd } from '../start/follow-to-end.ts';

export const watch = defineVerb({
  name: 'watch',
  summary: 'Watch a run as if it had been started here.',
  usage: '[RUN]',
  details: `Without RUN: the run that was started last. Ctrl-C leaves it going.
Exit code: 0 done, 1 failed, cancelled or refused, 3 waits for an approval (without a terminal) or failed for want of one, 4 inconclusive, 130 interrupted.`,
  options: { json: { type: 'boolean', description: 'One JSON object per event, the last {"type":"result",…}.' } },
  examples: ['portolan watch', 'portolan watch ingest-2026-11-21-a7f3c09b'],
  run: (context) =>
    withRuns(context, async (project) => followToEnd(context, project, await findRunOrNewest(project.place, context.args[0]))),
});
