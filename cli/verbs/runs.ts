import { listRuns } from '../../runs/list.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { withStoredRuns } from '../project/project.ts';
import { createPaint } from '../render/paint.ts';
import { renderRuns } from '../render/runs.ts';
import { defineVerb } from '../frame/verb.ts';

export const runs = defineVerb({
  name: 'runs',
  summary: 'Runs, newest first.',
  usage: '',
  options: {
    limit: { type: 'string', value: 'N', description: 'At most so many (default 20).' },
    children: {
      type: 'boolean',
      description: 'Also the runs that other runs have begun: pipelines that are their steps, and what takes them back.',
    },
    json: { type: 'boolean', description: 'One JSON object a line.' },
  },
  examples: ['portolan runs --limit 5'],
  run: (context) =>
    withStoredRuns(context, async ({ place }) => {
      const limit = Number(context.options.limit ?? 20);
      if (!Number.isInteger(limit) || limit < 1) throw new UsageError(`--limit is a whole number from 1, got '${context.options.limit}'`);
      const lines = await listRuns(place, { limit, children: context.options.children ?? false });
      const { terminal } = context;
      if (context.options.json) for (const line of lines) terminal.document('run', line);
      else terminal.out(lines.length === 0 ? 'no runs yet: portolan run FILE\n' : renderRuns(lines, createPaint(terminal.color)));
      return exit.done;
    }),
});
