import { relative } from 'node:path';
import { readDevFile } from '../../config/dev-file.ts';
import type { Reuse, RunRef } from '../../pipelines/plan.ts';
import { journalFigures } from '../../runs/journal.ts';
import { writeReport } from '../../runs/report/write.ts';
import { withValues } from '../../runs/values.ts';
import { isOver, type RunSnapshot } from '../../runs/view.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { checkConnections } from './check-connections.ts';
import type { CompiledFile } from './compile-file.ts';
import { exit } from '../frame/exit.ts';
import { followRun } from './follow.ts';
import { startCompiled } from './start-compiled.ts';
import { stateCode, whoIs, type Project } from '../project/project.ts';
import { renderClosing } from '../render/closing.ts';
import { createPaint } from '../render/paint.ts';
import type { VerbContext, VerbOption } from '../frame/verb.ts';

/** Options of every verb that starts a run. */
export const launchOptions = {
  detach: { type: 'boolean', short: 'd', description: 'Start it and return.' },
  accept: {
    type: 'string',
    value: 'STEP',
    multiple: true,
    description: 'Approve what the step may do that cannot be taken back, where no gate does.',
  },
  as: { type: 'string', value: 'NAME', description: 'Who starts it (default PORTOLAN_USER, else user@host).' },
  'no-check': { type: 'boolean', description: 'Do not ask the service first whether it is there and takes the key.' },
  json: { type: 'boolean', description: 'One JSON object per event.' },
} as const satisfies Record<string, VerbOption>;

export type Launch = {
  /** Id of the new run. */
  id: string;
  compiled: CompiledFile;
  /** Names of the parameters that were given. */
  given: string[];
  /** `rerun`: the run before it. */
  former?: RunRef['former'];
  reuse?: Reuse;
};

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

/** Starts a compiled file, follows it to its end and returns the exit code. */
export async function launch(
  context: VerbContext<typeof launchOptions>,
  project: Project,
  { id, compiled, given, former, reuse }: Launch,
): Promise<number> {
  const { options, terminal, cwd, signal } = context;
  if (!options['no-check']) await checkConnections(project.config, compiled.connections);
  const location = await startCompiled(project, {
    id,
    compiled,
    given,
    who: whoIs(context),
    former,
    ...(reuse === undefined ? {} : { reuse }),
  });
  const { workflowId, firstRunId } = location;
  const temporal = project.temporalLink(workflowId, firstRunId);
  if (options.detach) {
    if (options.json) terminal.json({ type: 'result', run: id, state: 'running', workflowId, temporal });
    else terminal.out(`${id} runs\n  status    portolan status ${id}\n  temporal  ${temporal}\n`);
    return exit.done;
  }
  const last = await followRun(project, location, { terminal, signal, json: options.json ?? false });
  if (!last || (signal.aborted && !isOver(last.view))) {
    terminal.err(`\n${id} goes on without this command\n  status    portolan status ${id}\n  cancel    portolan cancel ${id}\n`);
    return exit.interrupted;
  }
  const found = await links(project, last, cwd);
  if (options.json) {
    const { view } = last;
    terminal.json({
      type: 'result',
      run: id,
      state: view.state,
      outputs: await withValues(view.outputs ?? {}),
      ...(view.error && { error: view.error }),
      workflowId,
      ...found,
    });
  } else terminal.out(renderClosing(last, found, createPaint(terminal.color)));
  return stateCode(last.view);
}
