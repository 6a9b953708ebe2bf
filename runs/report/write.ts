import { readAlerts } from '../../store/alert-journal.ts';
import type { RunEvent, RunStore } from '../../store/run-store.ts';
import type { StoredPlace } from '../find.ts';
import { compare, sentCalls } from '../compare.ts';
import { readForecast } from '../kept-forecast.ts';
import { lostAttempts, type Loss } from '../losses.ts';
import { readAgents } from './agents.ts';
import { readOrder } from './order.ts';
import { reportPage, type ReportData } from './page.ts';
import { lastUndo } from '../last-undo.ts';
import type { RunSnapshot } from '../view.ts';

/** Writes the run's page, `report.html` in its folder, and returns its path. What cannot be read is left out of it. */
export const writeReport = async (
  place: StoredPlace,
  snapshot: RunSnapshot,
  store: RunStore,
  links: ReportData['links'] = {},
): Promise<string> => {
  const { writeWhole } = await import('../../files/whole-file.ts');
  const path = store.path('report.html');
  const [counts, events, losses, order, alerts, undone] = await Promise.all([
    store.countItems().catch(() => []),
    store.events().catch((): RunEvent[] => []),
    lostAttempts(place, snapshot).catch((): Loss[] => []),
    readOrder(store).catch(() => undefined),
    readAlerts(store).catch(() => []),
    lastUndo(place, { run: snapshot.view.run, store: snapshot.store }),
  ]);
  const forecast = await readForecast(store);
  const compared =
    forecast && compare(forecast, { view: snapshot.view, sent: sentCalls(events), counts, ...(order && { plan: order.plan.steps }) });
  const agents = order ? await readAgents(store, order.plan.steps).catch(() => []) : [];
  const writtenAt = new Date().toISOString();
  const more = { agents, ...(compared && { compared }), ...(undone && { undone }) };
  await writeWhole(path, reportPage({ snapshot, counts, events, losses, alerts, links, order, writtenAt, ...more }));
  return path;
};
