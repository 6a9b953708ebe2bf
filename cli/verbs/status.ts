import { limitingNow } from '../../runs/limits.ts';
import { stateCode, withRuns } from '../project.ts';
import { renderLive } from '../render/live.ts';
import { connectionsLine } from '../render/connections.ts';
import { createPaint } from '../render/paint.ts';
import { renderClosing } from '../render/closing.ts';
import { isOver, readRunById } from '../../runs/view.ts';
import { defineVerb } from '../verb.ts';

export const status = defineVerb({
  name: 'status',
  summary: 'Where a run is, and what limits it now.',
  usage: 'RUN',
  details:
    'RUN is a run id or a beginning of it that only one run has.\nExit code: 0 running or done, 1 failed or cancelled, 3 waits for an approval.',
  options: { json: { type: 'boolean', description: 'The whole view as one JSON object.' } },
  examples: ['portolan status ingest-2026-11-21-a7f3'],
  run: (context) =>
    withRuns(context, async (project) => {
      const snapshot = await readRunById(project.place, context.args[0]!);
      const { terminal } = context;
      const now = Date.now();
      const links = { temporal: project.temporalLink(snapshot.workflowId, snapshot.runId) };
      if (context.options.json)
        terminal.out(`${JSON.stringify({ ...snapshot, limiting: limitingNow(snapshot, now).map(({ text }) => text), links })}\n`);
      else {
        const paint = createPaint(terminal.color);
        const lines = renderLive(snapshot, {
          rates: {},
          now,
          columns: terminal.size().columns,
          paint,
          connections: connectionsLine(snapshot.connections, project.connections),
        });
        const over = isOver(snapshot.view);
        terminal.out(`${lines.join('\n')}\n`);
        terminal.out(over ? renderClosing(snapshot, links, paint) : `  temporal  ${links.temporal}\n`);
      }
      return stateCode(snapshot.view);
    }),
});
