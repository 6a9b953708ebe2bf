import { relative } from 'node:path';
import { createRunStore } from '../../store/create-run-store.ts';
import { explainRun } from '../../runs/why.ts';
import { readRunById } from '../../runs/view.ts';
import { exit } from '../frame/exit.ts';
import { withStoredRuns } from '../project/project.ts';
import { createPaint } from '../render/paint.ts';
import { renderWhy } from '../render/why.ts';
import { defineVerb } from '../frame/verb.ts';

export const why = defineVerb({
  name: 'why',
  summary: 'Why a run failed, or what it waits for, in five lines.',
  usage: '[RUN]',
  options: { json: { type: 'boolean', description: 'As one JSON object.' } },
  examples: ['portolan why ingest-2026-11-21-b2c4'],
  run: (context) =>
    withStoredRuns(context, async ({ place }) => {
      const snapshot = await readRunById(place, context.args[0]);
      const found = await explainRun(place, snapshot, createRunStore(snapshot.store), (file) => relative(context.cwd, file));
      if (context.options.json) context.terminal.document('why', found);
      else context.terminal.out(renderWhy(found, createPaint(context.terminal.color)));
      return exit.done;
    }),
});
