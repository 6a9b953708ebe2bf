import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Kept } from '../../../dev/kept.ts';
import type { WorkerProcess } from '../../../dev/service-and-worker.ts';
import { findRun } from '../../../runs/find.ts';
import type { RunSnapshot } from '../../../runs/view.ts';
import { watchRun } from '../../../runs/watch.ts';
import { createRunStore } from '../../../store/create-run-store.ts';
import { readResults, resultsOf } from '../../../store/results.ts';
import { run } from '../../verbs/run.ts';
import { CommandError } from '../../frame/errors.ts';
import { exit } from '../../frame/exit.ts';
import { createTerminal } from '../../frame/terminal.ts';
import type { VerbContext } from '../../frame/verb.ts';
import { withRuns } from '../../project/project.ts';
import { linesOfCode } from './account.ts';
import type { Side } from './side.ts';

/** The pipeline of this folder, as the package brings it. */
export const pipelineText = (): string => readFileSync(fileURLToPath(new URL('./agents.yaml', import.meta.url)), 'utf8');

/** How the project calls its service. */
export const connection = 'chaos';

/** The pipeline in a project, whose worker is started again by itself. */
export function pipelineSide(
  context: VerbContext,
  { cwd, worker }: { cwd: string; worker: Kept<WorkerProcess> },
  service: Pick<Side, 'url' | 'key' | 'control'>,
): Side {
  let last: RunSnapshot | undefined;
  let id = '';
  let said = '';
  const terminal = createTerminal({
    stdout: { write: () => true },
    stderr: { write: (text: string) => ((said += text), true) },
    tty: false,
    onDocument: (name, line) => {
      if (name === 'result') id = (JSON.parse(line) as { run: string }).run;
    },
  });
  return {
    ...service,
    name: 'pipeline',
    lines: linesOfCode(pipelineText()),
    async run(signal) {
      const options = { connection, json: true, detach: true };
      const code = await run.run({ ...context, cwd, terminal, args: [join(cwd, 'agents.yaml')], options });
      if (code !== exit.done) throw new CommandError(`the pipeline did not start: ${said.trim()}`);
      await withRuns({ cwd, terminal }, async ({ place }) => {
        for await (const snapshot of watchRun(place, await findRun(place, id), { signal })) last = snapshot;
      });
      signal.throwIfAborted();
      if (last?.view.state !== 'done') throw new CommandError(`the pipeline ended ${last?.view.state}: ${last?.view.error?.message}`);
    },
    kill: async () => worker.current()?.kill(),
    finished: () => last?.view.steps[0]?.progress?.done ?? 0,
    async kept() {
      const store = createRunStore(last!.store);
      const agents = new Set<string>();
      for await (const { status, agent } of readResults(store, resultsOf(store, 'ask'))) if (status === 'done') agents.add(String(agent));
      return agents;
    },
  };
}
