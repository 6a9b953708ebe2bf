import { limitingNow } from '../../runs/limiting.ts';
import { progressOf } from '../../runs/progress.ts';
import { lastUndo } from '../../runs/last-undo.ts';
import { waitedOf, waitsOf } from '../../runs/waits.ts';
import { readAlerts } from '../../store/alert-journal.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { stateCode, withStoredRuns } from '../project/project.ts';
import { renderLive } from '../render/live.ts';
import { connectionsLine } from '../render/connections.ts';
import { createPaint } from '../render/paint.ts';
import { renderAlerts } from '../render/alerts.ts';
import { renderClosing } from '../render/closing.ts';
import { isOver, readRunById } from '../../runs/view.ts';
import { defineVerb } from '../frame/verb.ts';

export const status = defineVerb({
  name: 'status',
  summary: 'Where a run is, and what limits it now.',
  usage: '[RUN]',
  details:
    'RUN is a run id or a beginning of it that only one run has.\nExit code: 0 running or done, 1 failed, cancelled or refused, 3 waits for an approval or failed for want of one, 4 inconclusive.',
  options: {
    json: { type: 'boolean', description: 'The run as one JSON object, with rate, bytes and time left of each step under way.' },
  },
  examples: ['portolan status ingest-2026-11-21-a7f3c09b'],
  run: (context) =>
    withStoredRuns(context, async (project) => {
      const snapshot = await readRunById(project.place, context.args[0]);
      const { view, ...known } = snapshot;
      const { terminal } = context;
      const now = Date.now();
      const store = createRunStore(snapshot.store);
      const [events, alerts, undone] = await Promise.all([
        store.events().catch(() => []),
        readAlerts(store).catch(() => []),
        lastUndo(project.place, { run: view.run, store: snapshot.store }),
      ]);
      const progress = progressOf(snapshot.view, events, now);
      const waited = waitedOf(events, now);
      const links = { temporal: project.temporalLink(snapshot.workflowId, snapshot.runId) };
      if (context.options.json)
        terminal.document('status', {
          ...view,
          ...known,
          progress,
          limiting: limitingNow(snapshot, now, waited).map(({ text }) => text),
          waits: waitsOf(events, now).map(({ cause, calls, ms, wallMs }) => ({ cause, calls, ms, wallMs })),
          alerts,
          ...(undone && { undone }),
          links,
        });
      else {
        const paint = createPaint(terminal.color);
        const lines = renderLive(snapshot, {
          rates: Object.fromEntries(Object.entries(progress).map(([step, rate]) => [step, { ...rate, looks: [] }])),
          waited,
          now,
          columns: terminal.size().columns,
          whole: true,
          paint,
          connections: connectionsLine(snapshot.connections, project.connections),
        });
        const closes = isOver(snapshot.view) || snapshot.view.state === 'approval';
        terminal.out(`${lines.join('\n')}\n${renderAlerts(alerts, paint)}`);
        terminal.out(closes ? renderClosing(snapshot, { ...links, ...(undone && { undone }) }, paint) : `  temporal  ${links.temporal}\n`);
      }
      return stateCode(snapshot.view);
    }),
});
