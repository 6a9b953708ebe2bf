import { mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Plan, Reuse, RunInput, RunRef } from '../pipelines/plan.ts';
import { createRunStore } from '../store/create-run-store.ts';
import { taskQueueOf } from '../store/store-id.ts';
import { workflowType, type RunMemo } from '../workflows/messages.ts';
import { RunHeld, RunProblem } from './errors.ts';
import { planFile, recordFile, type RunRecord } from './record.ts';

export type StartOptions = {
  plan: Plan;
  run: RunRef;
  client: Client;
  /** Connection names by service, for the memo. */
  connections: { [service: string]: string };
  /** Who starts it: `user@host`. */
  who: string;
  /** Pipeline file, absolute, and the parameters that were given: what a later `rerun` starts from. */
  file?: string;
  given?: string[];
  /** `rerun`: what the run before it has completed. */
  reuse?: Reuse;
};

/** Bytes of a workflow's input: the server takes 2 MiB. */
const maxInputBytes = 1_500_000;

/** The workflow id of a run: what it holds, so that the server refuses a second run; else its own id. */
const workflowIdOf = (plan: Plan, run: RunRef): string => (plan.concurrency === null ? run.id : `portolan/${plan.concurrency}`);

/** Makes the folder of a new run, for it alone. Fails with `RunProblem` where it is there: two runs never share one. */
const claimFolder = async ({ id, store }: RunRef): Promise<string> => {
  const folder = fileURLToPath(store);
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new RunProblem(`there is a run ${id} already`, 'start again: the new run gets another id') : error;
  });
  return folder;
};

/** Starts a run and writes `run.json` and `plan.json` into its folder. Fails with `RunHeld` while another run holds what this one needs. */
export const startRun = async (options: StartOptions): Promise<{ workflowId: string; runId: string }> => {
  const { plan, run, client, connections, who } = options;
  const workflowId = workflowIdOf(plan, run);
  const memo: RunMemo = {
    run: run.id,
    pipeline: plan.pipeline,
    planHash: plan.hash,
    store: run.store,
    connections,
    startedBy: who,
    ...(run.former ? { former: run.former.runs } : {}),
  };
  const input: RunInput = { plan, run, ...(options.reuse && Object.keys(options.reuse).length > 0 ? { reuse: options.reuse } : {}) };
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > maxInputBytes)
    throw new RunProblem(
      `plan and reused results have ${bytes.toLocaleString('en-US')} bytes, at most ${maxInputBytes.toLocaleString('en-US')} can start a run`,
      'reuse fewer steps: --from an earlier one',
    );
  const startedAt = new Date().toISOString();
  const folder = await claimFolder(run);
  const runId = await client.workflow
    .start(workflowType, {
      workflowId,
      taskQueue: taskQueueOf(dirname(folder)),
      args: [input],
      memo,
      // A worker killed inside a workflow task stalls the run for this long; the usual 10 s are felt.
      workflowTaskTimeout: '5s',
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `${plan.pipeline} · run ${run.id}`,
    })
    .then(
      (handle) => handle.firstExecutionRunId,
      async (error: unknown) => {
        // A refused run leaves no folder; one that a worker has written to was started after all.
        await rmdir(folder).catch(() => undefined);
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        const holder = await client.workflow
          .getHandle(workflowId)
          .describe()
          .then(
            (found) => found.memo as Partial<RunMemo> | undefined,
            () => undefined,
          );
        throw new RunHeld(plan.concurrency ?? run.id, holder?.run, holder?.startedBy);
      },
    );
  // After the start: a run whose record got lost is found by its memo.
  const store = createRunStore(run.store);
  const { file, given } = options;
  const record: RunRecord = {
    ...memo,
    workflowId,
    firstRunId: runId,
    startedAt,
    baseDir: run.baseDir,
    host: run.host,
    ...(file === undefined ? {} : { file }),
    ...(given === undefined ? {} : { given }),
  };
  await Promise.all([store.writeJson(recordFile, record, { synced: false }), store.writeJson(planFile, plan, { synced: false })]);
  return { workflowId, runId };
};
