import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { startText } from '../../test/prove/support-run.ts';
import type { Stack } from '../../test/support/stack.ts';
import type { Job } from './api.ts';

/** One of the ways under way: what is killed, how it comes back, and its end. */
export type Started = { kill(): Promise<void>; restart(): Promise<void>; ended: Promise<unknown>; stop(): Promise<void> };
export type Way = { name: string; files: string[]; start(stack: Stack, job: Job, rows: number): Promise<Started> };

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const node = (entry: string, input: unknown): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file(entry), JSON.stringify(input)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
const killed = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};

/** Started again by its caller until it ends well, as a loop of the shell would. */
const script: Way = {
  name: 'p-limit script',
  files: ['p-limit.ts', 'api.ts'],
  async start(_, job) {
    let child: ChildProcess;
    let over = false;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    let held: PromiseWithResolvers<void> | undefined;
    const loop = async (): Promise<void> => {
      while (!over) {
        child = node('p-limit.ts', job);
        const [code] = (await once(child, 'exit')) as [number | null];
        if (code === 0) return resolve();
        await held?.promise;
      }
    };
    void loop();
    return {
      async kill() {
        held = Promise.withResolvers();
        await killed(child);
      },
      async restart() {
        held?.resolve();
      },
      ended,
      async stop() {
        over = true;
        held?.resolve();
        await killed(child);
      },
    };
  },
};

const temporal: Way = {
  name: 'Temporal by hand',
  files: ['temporal.ts', 'temporal-workflow.ts', 'temporal-worker.ts', 'api.ts'],
  async start(stack, job, rows) {
    const taskQueue = `hand-${randomUUID()}`;
    const bundle = join(stack.dir, 'hand-written.js');
    const { code } = await bundleWorkflowCode({ workflowsPath: file('temporal-workflow.ts'), logger: new DefaultLogger('ERROR') });
    await writeFile(bundle, code);
    let worker: ChildProcess;
    const begin = async (): Promise<void> => {
      worker = node('temporal-worker.ts', { address: stack.address, taskQueue, bundle });
      await once(worker, 'message');
    };
    await begin();
    const handle = await stack.client.workflow.start('ingest', { taskQueue, workflowId: randomUUID(), args: [job, rows] });
    return { kill: () => killed(worker), restart: begin, ended: handle.result(), stop: () => killed(worker) };
  },
};

const pipeline: Way = {
  name: 'pipeline',
  files: ['pipeline.yaml'],
  async start(stack, job) {
    const run = await startText(stack, await readFile(file('pipeline.yaml'), 'utf8'), { source: job.file, dataset: job.slug });
    const ended = run.ended(300_000).then((view) => {
      if (view.state !== 'done') throw new Error(`the run is ${view.state}: ${view.error?.message}`);
    });
    return {
      async kill() {
        await stack.worker.kill();
      },
      restart: () => stack.worker.start(0),
      ended,
      stop: async () => undefined,
    };
  },
};

export const ways: readonly Way[] = [script, temporal, pipeline];

/** Lines with code on them: neither empty nor a comment alone. */
export async function linesOf({ files }: Way): Promise<number> {
  const texts = await Promise.all(files.map((name) => readFile(file(name), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).filter((line) => /\S/.test(line) && !/^\s*(\/\/|\/\*|\*|#)/.test(line)).length;
}
