import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readDevFile } from '../../config/dev-file.ts';
import { journalFigures } from '../../runs/journal.ts';
import { newRunId } from '../../runs/run-id.ts';
import { writeReport } from '../../runs/report.ts';
import { startRun } from '../../runs/start.ts';
import { isOver, type RunSnapshot } from '../../runs/view.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { checkConnections } from '../check-connections.ts';
import { compileFile } from '../compile-file.ts';
import { exit } from '../exit.ts';
import { followRun } from '../follow.ts';
import { stateCode, whoIs, withRuns, type Project } from '../project.ts';
import { renderClosing } from '../render/closing.ts';
import { createPaint } from '../render/paint.ts';
import { defineVerb } from '../verb.ts';

/** Only the local service tells what it did, and only with its control plane on. */
const journalOf = async (project: Project, { connections, startedAt, endedAt }: RunSnapshot) => {
  const service = Object.values(connections).includes('local') ? readDevFile(project.config.dir)?.service : undefined;
  if (!service?.control) return undefined;
  return journalFigures(service.url, { from: Date.parse(startedAt), ...(endedAt && { to: Date.parse(endedAt) }) }).catch(() => undefined);
};

/** Workers of another queue than the usual one are named by PORTOLAN_TASK_QUEUE, here as in `portolan worker`. */
const queueOf = ({ env }: { env: Record<string, string | undefined> }) =>
  env['PORTOLAN_TASK_QUEUE'] ? { taskQueue: env['PORTOLAN_TASK_QUEUE'] } : {};

const links = async (project: Project, snapshot: RunSnapshot, cwd: string) => {
  const temporal = project.temporalLink(snapshot.workflowId, snapshot.runId);
  const [report, journal] = await Promise.all([
    writeReport(snapshot, createRunStore(snapshot.store), { temporal }).catch(() => undefined),
    journalOf(project, snapshot),
  ]);
  return { temporal, ...(report && { report: relative(cwd, report) || report }), ...(journal && { journal }) };
};

export const run = defineVerb({
  name: 'run',
  summary: 'Run a pipeline and watch it.',
  usage: 'FILE',
  details: `Ctrl-C leaves the run going: portolan status RUN shows it, portolan cancel RUN ends it.
Without a terminal: one line per event. With --json: one object per line, the last {"type":"result",…}.
Exit code: 0 done, 1 failed, 2 invalid file, 3 waits for an approval (without a terminal), 4 inconclusive, 130 interrupted.`,
  options: {
    param: { type: 'string', short: 'p', value: 'K=V', multiple: true, description: 'A parameter of the file.' },
    connection: { type: 'string', short: 'c', value: 'NAME', description: 'Connection of portolan.config.mts, or local.' },
    detach: { type: 'boolean', short: 'd', description: 'Start it and return.' },
    as: { type: 'string', value: 'NAME', description: 'Who starts it (default PORTOLAN_USER, else user@host).' },
    'no-check': { type: 'boolean', description: 'Do not ask the service first whether it is there and takes the key.' },
    json: { type: 'boolean', description: 'One JSON object per event.' },
  },
  examples: [
    'portolan run pipelines/hello.yaml --connection local',
    'portolan run pipelines/ingest.yaml -p dataset=movies -p source=data/movies.json',
  ],
  run: (context) =>
    withRuns(context, async (project) => {
      const { options, terminal, cwd, signal } = context;
      const { plan, baseDir, connections } = await compileFile(context, project.config, context.args[0]!);
      if (!options['no-check']) await checkConnections(project.config, connections);
      const id = newRunId(plan.pipeline);
      const reference = {
        id,
        pipeline: plan.pipeline,
        store: pathToFileURL(join(project.config.store, id)).href,
        baseDir,
        host: hostname(),
      };
      const { workflowId, runId } = await startRun({
        plan,
        run: reference,
        client: project.temporal.client,
        connections,
        who: whoIs(context),
        ...queueOf(context),
      });
      const temporal = project.temporalLink(workflowId, runId);
      if (options.detach) {
        if (options.json) terminal.out(`${JSON.stringify({ type: 'result', run: id, state: 'running', workflowId, temporal })}\n`);
        else terminal.out(`${id} runs\n  status    portolan status ${id}\n  temporal  ${temporal}\n`);
        return exit.done;
      }
      const location = { run: id, workflowId, store: reference.store, firstRunId: runId };
      const last = await followRun(project, location, { terminal, signal, json: options.json ?? false });
      if (!last || (signal.aborted && !isOver(last.view))) {
        terminal.err(`\n${id} goes on without this command\n  status    portolan status ${id}\n  cancel    portolan cancel ${id}\n`);
        return exit.interrupted;
      }
      const found = await links(project, last, cwd);
      if (options.json) {
        const { view } = last;
        terminal.out(
          `${JSON.stringify({ type: 'result', run: id, state: view.state, outputs: view.outputs ?? {}, ...(view.error && { error: view.error }), workflowId, ...found })}\n`,
        );
      } else terminal.out(renderClosing(last, found, createPaint(terminal.color)));
      return stateCode(last.view);
    }),
});
