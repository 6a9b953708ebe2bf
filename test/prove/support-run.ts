import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { compile } from '../../pipelines/compile/compile.ts';
import { parse } from '../../pipelines/file/parse.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import { steps as builtin } from '../../pipelines/steps/table.ts';
import { newRunId } from '../../runs/run-id.ts';
import { startRun } from '../../runs/start.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunView } from '../../workflows/messages.ts';
import type { Stack } from '../support/stack.ts';

type CompileOptions = { steps?: Readonly<Record<string, Step>>; connection?: string; accept?: readonly string[] };

/** Starts the pipeline of a text as `run` does: parse, compile, start. */
export const startText = (stack: Stack, text: string, params: Record<string, unknown> = {}, options: CompileOptions = {}) =>
  startPlan(stack, planOf(stack, text, params, options), options);

/** The plan of a text. Fails where it has findings. */
export function planOf(
  { dir: baseDir, connection: reached }: Pick<Stack, 'dir' | 'connection'>,
  text: string,
  params: Record<string, unknown>,
  { steps = builtin, connection = reached, accept = [] }: CompileOptions,
): Plan {
  const compiled = compile(parse(text), { steps, params, baseDir, connection, accept });
  if ('findings' in compiled) throw new Error(compiled.findings.map(({ path, message }) => `${path}: ${message}`).join('; '));
  return compiled.plan;
}

/** Starts a plan, as a schedule does. */
export async function startPlan(stack: Stack, plan: Plan, { connection = stack.connection }: Pick<CompileOptions, 'connection'> = {}) {
  const id = newRunId(plan.pipeline);
  const { store, ...started } = await startRun({
    client: stack.client,
    plan,
    start: {
      id,
      store: pathToFileURL(join(stack.state, 'runs')).href,
      baseDir: stack.dir,
      host: hostname(),
      who: 'prove',
      connections: { maps: connection },
    },
  });
  const handle = stack.client.workflow.getHandle(started.workflowId, started.runId);
  return {
    id,
    handle,
    runId: started.runId,
    /** Where the run's folder is, and the folder above all runs. */
    uri: store,
    root: join(stack.state, 'runs'),
    store: createRunStore(store),
    /** The run's end, well or not: fails only where none comes in time. */
    ended: (ms = 60_000): Promise<RunView> => result(stack, handle, `run ${id}`, ms),
  };
}

export type StartedRun = Awaited<ReturnType<typeof startText>>;

/** Asked again where the Temporal server went away in between. */
async function result({ client }: Stack, handle: StartedRun['handle'], what: string, ms: number): Promise<RunView> {
  const late = AbortSignal.timeout(ms);
  for (;;) {
    try {
      return (await client.withAbortSignal(late, () => handle.result())) as RunView;
    } catch (error) {
      if (error instanceof WorkflowFailedError) {
        const { details } = (error.cause ?? {}) as { details?: [RunView?] };
        if (details?.[0]) return details[0];
        throw error;
      }
      if (late.aborted) throw new Error(`${what} has not ended within ${ms / 1_000} s`, { cause: error });
      const { code } = ((error as Error).cause ?? {}) as { code?: number };
      if (code !== grpcUnavailable) throw error;
    }
  }
}

const grpcUnavailable = 14;

/** Output of a step of a run that ended well; fails with the run's error otherwise. */
export function outputOf(view: RunView, step: string): Record<string, any> {
  if (view.state !== 'done')
    throw new Error(`run ${view.run} is ${view.state}: ${view.error?.step ?? ''} ${view.error?.type}: ${view.error?.message}`);
  return view.steps.find(({ id }) => id === step)!.output as Record<string, any>;
}
