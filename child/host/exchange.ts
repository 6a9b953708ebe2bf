import { abortError } from './abort.ts';
import type { Child, Ended } from './child-process.ts';
import { bytesMs, childLimits } from '../child-limits.ts';
import type { ChildRequest, Method, Methods } from '../protocol.ts';
import { BadInput, Unavailable } from '../../errors/classes.ts';
import { watch } from './watchdog.ts';

export type ExchangeOptions = {
  /** What is opened, for messages. */
  subject: string;
  timeMs: number;
  /** Time in all, whatever was earned. */
  mostMs?: number | undefined;
  memoryMb: number;
  signal?: AbortSignal | undefined;
  progress?: ((rows: number, note?: string) => void) | undefined;
};

/** The child ended before it read the request: not the input's fault. */
export class NotStarted extends Unavailable {
  constructor(message: string) {
    super('process', message);
  }
}

/** What a child says on stderr before it ends itself for its memory: its own guard, V8, or the allocator. */
const outOfMemory = /heap out of memory|memory limit|invalid (array|table|size)|bad_alloc/i;

let ids = 0;

/** One request on one child: its value, a `BadInput`, or an abort. Beyond its memory or time the child is killed. */
export async function exchange<M extends Method>(
  child: Child,
  method: M,
  input: Methods[M]['input'],
  { subject, timeMs, mostMs, memoryMb, signal, progress }: ExchangeOptions,
): Promise<Methods[M]['output']> {
  const id = ++ids;
  const memoryBytes = memoryMb * 1024 * 1024;
  let started = false;
  let rows = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Methods[M]['output']>();
  // The promise settles only when the process is gone: the next one may take the same folder, and must find nobody writing there.
  let decided: Error | undefined;
  const end = (error: Error): void => {
    decided ??= error;
    child.kill();
  };
  const limitMessages = { too_large: `needs more than ${memoryMb} MiB of memory`, timeout: 'takes longer than its time limit' };
  const limitError = (verdict: keyof typeof limitMessages): BadInput => new BadInput(verdict, `${subject}: ${limitMessages[verdict]}`);
  const refuse = (verdict: keyof typeof limitMessages): void => end(limitError(verdict));
  const onEnd = ({ code, signal: by, stderr }: Ended): void => {
    const how = by ?? `code ${code}`;
    if (decided) reject(decided);
    else if (!started) reject(new NotStarted(`the process that opens tables ended before it began (${how}): ${stderr.trim().slice(-500)}`));
    else if (outOfMemory.test(stderr)) reject(limitError('too_large'));
    // Not by our hand: Linux ends this process first where the whole machine runs out of memory.
    else if (by === 'SIGKILL')
      reject(new Unavailable('memory', `${subject}: the system killed the process that opened it, which it does when memory runs out`));
    else reject(new BadInput('crashed', `${subject}: the process that opened it ended (${how})`));
  };
  // Starting the child is not the input's time.
  let guard = watch(child.pid, { memoryBytes, timeMs: childLimits.startSeconds * 1_000 }, () =>
    end(new NotStarted('the process that opens tables does not start')),
  );
  child.onReply = (reply) => {
    if (reply.id !== id) return;
    if (reply.kind === 'started') {
      started = true;
      guard.stop();
      guard = watch(child.pid, { memoryBytes, timeMs, mostMs }, refuse);
    } else if (reply.kind === 'progress') {
      // Rows are gone through more than once: a count that begins again takes no time away.
      guard.extend(Math.max(0, reply.rows - rows) * childLimits.msPerRow);
      rows = reply.rows;
      progress?.(rows, reply.note);
    } else if (reply.kind === 'unpacked') guard.extend(bytesMs(reply.bytes));
    else if (reply.kind === 'earned') guard.extend(reply.ms);
    else if (reply.kind === 'value') resolve(reply.value as Methods[M]['output']);
    else if (reply.kind === 'verdict') reject(new BadInput(reply.verdict, reply.message));
    else if (reply.kind === 'unavailable') reject(new Unavailable(reply.resource, reply.message));
    else reject(new Error(`${subject}: ${reply.message}`));
  };
  child.onEnd = onEnd;
  const abort = (): void => end(abortError(signal!));
  signal?.addEventListener('abort', abort, { once: true });
  child.hold(true);
  try {
    // It may have ended unseen while it was idle.
    if (signal?.aborted) reject(abortError(signal));
    else if (!child.alive) reject(new NotStarted('the process that opens tables has ended'));
    else child.send({ id, method, input } as ChildRequest);
    return await promise;
  } finally {
    guard.stop();
    signal?.removeEventListener('abort', abort);
    child.onReply = undefined;
    child.onEnd = undefined;
  }
}
