import type { RunEvent, RunStore } from '../store/run-store.ts';
import { reportPage, type ReportData } from './report-page.ts';
import type { RunSnapshot } from './view.ts';

const loadReport = async (snapshot: RunSnapshot, store: RunStore, links: ReportData['links']): Promise<ReportData> => ({
  snapshot,
  counts: await store.countItems().catch(() => []),
  events: await store.events().catch((): RunEvent[] => []),
  links,
  writtenAt: new Date().toISOString(),
});

/** Writes the run's page, `report.html` in its folder, and answers its path. */
export const writeReport = async (snapshot: RunSnapshot, store: RunStore, links: ReportData['links'] = {}): Promise<string> => {
  const { writeWhole } = await import('../store/whole-file.ts');
  const path = store.path('report.html');
  await writeWhole(path, reportPage(await loadReport(snapshot, store, links)));
  return path;
};
