import { relative } from 'node:path';
import { createRunStore } from '../../store/create-run-store.ts';
import { writeReport } from '../../runs/report/write.ts';
import { isOver, readRunById } from '../../runs/view.ts';
import { forecastRun } from '../start/forecast-run.ts';
import { exit } from '../frame/exit.ts';
import { withStoredRuns } from '../project/project.ts';
import { defineVerb } from '../frame/verb.ts';

export const report = defineVerb({
  name: 'report',
  summary: 'One HTML page about a run.',
  usage: '[RUN]',
  details: 'Writes report.html into the run’s folder and prints its path. The page needs nothing from outside: it can be sent on.',
  options: { json: { type: 'boolean', description: 'The path as JSON.' } },
  examples: ['portolan report ingest-2026-11-21-a7f3c09b'],
  run: (context) =>
    withStoredRuns(context, async (project) => {
      const snapshot = await readRunById(project.place, context.args[0]);
      const view = async () => snapshot.view;
      if (isOver(snapshot.view)) await forecastRun(snapshot.store, project.config, { view, signal: context.signal }).catch(() => undefined);
      const path = await writeReport(project.place, snapshot, createRunStore(snapshot.store), {
        temporal: project.temporalLink(snapshot.workflowId, snapshot.runId),
      });
      if (context.options.json) context.terminal.document('report', { run: snapshot.view.run, path });
      else context.terminal.out(`${relative(context.cwd, path) || path}\n`);
      return exit.done;
    }),
});
