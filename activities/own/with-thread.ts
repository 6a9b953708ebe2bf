import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
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
 * an end leaves its mark in the run store. After two of them in a row the step runs alone in its process, so that only its own code
 * can end it; after the third it fails instead of ending the next worker. An attempt that was given away while its process lives on
 * is none of them, nor is one of another host, of which nobody here knows.
 */
export async function withThread<T>(
  file: OwnFile,
  { own, name, underWay = () => [] }: Use,
  context: Pick<StepContext, 'store' | 'place' | 'attemptId' | 'threads' | 'signal'>,
  work: (lease: Lease, called: Called) => Promise<T>,
): Promise<T> {
  const called = { file: file.file, own, name };
  const marks = context.store.path('processes');
  const named = context.place.join('~');
  const before = readMarks(marks, named);
  const ends = before.filter(({ host, process: its }) => host === hostname() && !isAlive(its));
  if (ends.length >= mostEnds && ends.some((each) => each.alone)) {
    const what = `the worker's process ended ${ends.length} times in a row while ${name} of ${own.name} ran, at last with no other own step beside it${listed(underWay())}`;
    throw reported(own.name, withPlace(new ProcessEnded(what), called), {});
  }
  const alone = ends.length >= mostEnds - 1;
  if (alone) process.stderr.write(`${own.name}: runs alone, because the worker's process ended ${ends.length} times while it ran\n`);
  const marked = async (lease: Lease): Promise<T> => {
    makeFolderIn(context.store.path(), marks);
    const mark = join(marks, `${named}~${context.attemptId}.json`);
    writeFileSync(mark, JSON.stringify({ host: hostname(), process: (self ??= identify(process.pid)), alone } satisfies Partial<Mark>));
    try {
      return await work(lease, called);
    } finally {
      // Those of attempts that began after this one are theirs.
      for (const path of [mark, ...before.map((each) => each.path)]) rmSync(path, { force: true });
    }
  };
  return context.threads.use(file, marked, { alone, signal: context.signal });
}

const listed = (items: readonly string[]): string =>
  items.length === 0
    ? ''
    : `; begun and not ended: ${items.slice(0, 3).join(', ')}${items.length > 3 ? ` and ${items.length - 3} more` : ''}`;

let self: Identity | undefined;

/** An attempt without an end, by the process in which it began. `alone`: no other own step ran in that process. */
type Mark = { path: string; host?: string; process?: Identity; alone?: boolean };

function readMarks(folder: string, named: string): Mark[] {
  const names = entriesOf(folder).filter((name) => name.startsWith(`${named}~`));
  return names.map((name) => {
    const path = join(folder, name);
    return { path, ...markIn(path) };
  });
}

/** None where no code has been called yet. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Nothing where a kill has cut it, or its attempt has ended meanwhile. */
function markIn(path: string): Omit<Mark, 'path'> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Omit<Mark, 'path'>;
  } catch {
    return {};
  }
}
