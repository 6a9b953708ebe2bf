import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { hasExpression } from '../../pipelines/expressions/scan.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { Facts, Step } from '../../pipelines/step.ts';
import type { Json } from '../../text/json.ts';

type Listed = NonNullable<Facts['listed']>;

/** Longest time for the items of one sweep. */
const longestMs = 5_000;

/** How many items the own sweeps of a plan list, by step: their code is asked in a thread, without anything that a run has. */
export async function listItems({ steps: planned }: Plan, steps: Readonly<Record<string, Step>>): Promise<ReadonlyMap<string, Listed>> {
  const listed = new Map<string, Listed>();
  for (const { id, use, with: input } of planned) {
    const step = steps[use];
    if (step?.own && step.kind === 'sweep') listed.set(id, await list(step.own.file, input));
  }
  return listed;
}

async function list(file: string, input: Json): Promise<Listed> {
  if (openIn(input)) return { because: 'what its items are made of is known only in the run' };
  const thread = new Worker(new URL(`./list-items-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: { url: pathToFileURL(file).href, input },
    stdout: true,
    stderr: true,
  });
  const { promise, resolve } = Promise.withResolvers<Listed>();
  let late: NodeJS.Timeout | undefined;
  // Loading the code is not the time of its items.
  thread.on('message', (message: 'loaded' | Listed) => {
    if (message !== 'loaded') return resolve(message);
    late = setTimeout(() => resolve({ because: `listing them takes more than ${longestMs / 1_000} s` }), longestMs);
  });
  thread.on('error', ({ message }) => resolve({ because: `listing them fails: ${message}` }));
  thread.on('exit', () => resolve({ because: 'its code ends the thread that lists them' }));
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    await thread.terminate();
  }
}

/** Is a part of the input an expression still? */
const openIn = (input: Json): boolean =>
  typeof input === 'string' ? hasExpression(input) : typeof input === 'object' && input !== null && Object.values(input).some(openIn);
