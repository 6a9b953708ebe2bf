import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identify, isAlive, type Identity } from '../../config/identity.ts';
import { makeFolderIn } from '../../files/make-folder.ts';
import type { OwnCode } from '../../pipelines/own/define.ts';
import type { StepContext } from '../frame/context.ts';
import { reported, withPlace, type Called } from './failure.ts';
import { mostEnds } from './thread/host/thread-ended.ts';
import type { Lease, OwnFile } from './thread/host/threads.ts';

/** The worker's process has ended under the code of a step, again and again. */
class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
}

/** Which code of a step is called, and the items that its attempts before this one had begun and not ended. */
type Use = { own: OwnCode; name: string; underWay?: () => readonly string[] };

/**
 * Lends a thread to the code of a step. Native code that crashes, or a signal, takes the worker's process with it: an attempt without
 * an end leaves its mark in the run store, and after three of them in a row the step fails instead of ending the next worker. An
 * attempt that was given away while its process lives on is none of them.
 */
export async function withThread<T>(
  file: OwnFile,
  { own, name, underWay = () => [] }: Use,
  context: Pick<StepContext, 'store' | 'place' | 'attemptId' | 'threads'>,
  work: (lease: Lease, called: Called) => Promise<T>,
): Promise<T> {
  const called = { file: file.file, own, name };
  const marks = context.store.path('processes', ...context.place);
  const ends = await countEnded(marks);
  if (ends >= mostEnds) {
    const what = `the worker's process ended ${ends} times in a row while ${name} of ${own.name} ran${listed(underWay())}`;
    throw reported(own.name, withPlace(new ProcessEnded(what), called));
  }
  makeFolderIn(context.store.path(), marks);
  await writeFile(join(marks, `${context.attemptId}.json`), JSON.stringify(identify(process.pid)));
  try {
    return await context.threads.use(file, (lease) => work(lease, called));
  } finally {
    await rm(marks, { recursive: true, force: true });
  }
}

const listed = (items: readonly string[]): string =>
  items.length === 0
    ? ''
    : `; begun and not ended: ${items.slice(0, 3).join(', ')}${items.length > 3 ? ` and ${items.length - 3} more` : ''}`;

/** Attempts without an end whose process is no more. */
async function countEnded(marks: string): Promise<number> {
  const names = await readdir(marks).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(marks, name), 'utf8').catch(() => '')));
  return texts.filter((text) => !isAlive(identityIn(text))).length;
}

/** Undefined where a kill has cut it: then that process is no more either. */
function identityIn(text: string): Identity | undefined {
  try {
    return JSON.parse(text) as Identity;
  } catch {
    return undefined;
  }
}
