import { findRunOrNewest } from '../../runs/newest.ts';
import { defineVerb } from '../frame/verb.ts';
import { withRuns } from '../project/project.ts';
import { followToEnd } from '../start/follow-to-end.ts';

export const wait = defineVerb({
  name: 'wait',
  summary: 'Wait until a run is over, for scripts and CI.',
  usage: '[RUN]',
  details: `Shows nothing until then. Without RUN: the run that was started last.
Exit code: 0 done, 1 failed, cancelled or refused, 3 waits for an approval or failed for want of one, 4 inconclusive, 130 interrupted.`,
  options: { json: { type: 'boolean', description: 'The end as one JSON object: {"type":"result",…}.' } },
  examples: ['portolan run pipelines/ingest.yaml --detach && portolan wait'],
  run: (context) =>
    withRuns(context, async (project) =>
      followToEnd(context, project, await findRunOrNewest(project.place, context.args[0]), { quiet: true }),
    ),
});
