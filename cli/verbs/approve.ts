import { decide } from '../../runs/control.ts';
import { findRun } from '../../runs/find.ts';
import { exit } from '../frame/exit.ts';
import { whoIs, withRuns } from '../project/project.ts';
import { defineVerb } from '../frame/verb.ts';

export const approve = defineVerb({
  name: 'approve',
  summary: 'Let a step that waits for a person go on.',
  usage: 'RUN STEP',
  options: {
    note: { type: 'string', value: 'TEXT', description: 'Why; kept and shown.' },
    as: { type: 'string', value: 'NAME', description: 'Who decides (default PORTOLAN_USER, else user@host).' },
  },
  examples: ['portolan approve ingest-2026-11-21-a7f3c09b review --note "looked at the counts"'],
  run: (context) =>
    withRuns(context, async ({ place }) => {
      const [run, step] = context.args as [string, string];
      const found = await findRun(place, run);
      const who = whoIs(context);
      await decide(place, found, { step, approve: true, who, note: context.options.note ?? '' });
      context.terminal.out(`${step} of ${found.run} approved by ${who}\n`);
      return exit.done;
    }),
});
