import { relative } from 'node:path';
import { readDevFile } from '../../config/dev-file.ts';
import type { RunLocation } from '../../runs/find.ts';
import { journalFigures } from '../../runs/journal.ts';
import { writeReport } from '../../runs/report/write.ts';
import { lastUndo } from '../../runs/last-undo.ts';
import { withValues } from '../../runs/values.ts';
import { isOver, type RunSnapshot } from '../../runs/view.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunView } from '../../workflows/messages.ts';
import { exit } from '../frame/exit.ts';
import type { VerbContext } from '../frame/verb.ts';
import { stateCode, type Project } from '../project/project.ts';
import { renderClosing } from '../render/closing.ts';
import { createPaint } from '../render/paint.ts';
import { followRun } from './follow.ts';
import { forecastRun } from './forecast-run.ts';

/** Only the local service reports what it did, and only with its control plane on. */
const journalOf = async (project: Project, { connections, startedAt, endedAt }: RunSnapshot) => {
  const service = Object.values(connections).includes('local') ? readDevFile(project.config.dir)?.service : undefined;
  if (!service?.control) return undefined;
  return journalFigures(service.url, { from: Date.parse(startedAt), ...(endedAt && { to: Date.parse(endedAt) }) }).catch(() => undefined);
};

const links = async (project: Project, snapshot: RunSnapshot, cwd: string) => {
  const temporal = project.temporalLink(snapshot.workflowId, snapshot.runId);
  const [report, journal] = await Promise.all([
    writeReport(project.place, snapshot, createRunStore(snapshot.store), { temporal }).catch(() => undefined),
    journalOf(project, snapshot),
  ]);
  return { temporal, ...(report && { report: relative(cwd, report) || report }), ...(journal && { journal }) };
};

/** Tables of so many bytes are measured while a run goes on; for larger ones `plan --compare` is asked. */
const quickBytes = 20_000_000;

/** Shows a run to its end, or until it can only wait for a person, then its closing lines; returns the exit code. `quiet`: the closing lines alone. */
export async function followToEnd(
  { terminal, cwd, signal, options }: Pick<VerbContext<any>, 'terminal' | 'cwd' | 'signal'> & { options: { json?: boolean } },
  project: Project,
  location: RunLocation,
  { quiet = false }: { quiet?: boolean } = {},
): Promise<number> {
  const { run } = location;
  const json = options.json ?? false;
  // Beside the run: what its report holds it against.
  const { promise: ended, resolve } = Promise.withResolvers<RunView | undefined>();
  const view = (): typeof ended => ended;
  const planned = forecastRun(location.store, project.config, { view, signal, mostBytes: quickBytes }).catch(() => undefined);
  const last = await followRun(project, location, { terminal, signal, json, quiet });
  resolve(last && isOver(last.view) ? last.view : undefined);
  await planned;
  if (!last || (signal.aborted && !isOver(last.view))) {
    if (json)
      terminal.document('error', {
        type: 'error',
        message: `interrupted: ${run} goes on without this command`,
        remedy: `portolan watch ${run}, or portolan cancel ${run}`,
        exit: exit.interrupted,
      });
    terminal.err(`\n${run} goes on without this command\n  watch     portolan watch ${run}\n  cancel    portolan cancel ${run}\n`);
    return exit.interrupted;
  }
  const [found, undone] = await Promise.all([links(project, last, cwd), lastUndo(project.place, { run, store: last.store })]);
  if (json) {
    const { view } = last;
    const { journal, ...where } = found;
    terminal.document('result', {
      type: 'result',
      run,
      state: view.state,
      outputs: await withValues(view.outputs ?? {}),
      ...(view.error && { error: view.error }),
      ...(undone && { undone }),
      workflowId: last.workflowId,
      links: where,
      ...(journal && { journal }),
    });
  } else terminal.out(renderClosing(last, { ...found, ...(undone && { undone }) }, createPaint(terminal.color)));
  return stateCode(last.view);
}
