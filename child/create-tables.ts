import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ChildRequest, Method, Methods } from './protocol.ts';
import { startChild, type Child, type Ended } from './child-process.ts';
import { BadInput, type Tables, type Verdict } from './tables.ts';
import { watch } from './watchdog.ts';

export type TablesOptions = {
  /** Most resident memory of the child, in MiB; DuckDB gets a third of it and spills beyond. @default 1024 */
  memoryMb?: number;
  /** Time for one request, in seconds; 10 s more for each 50 MiB of the file, and more while rows are being made. @default 60 */
  seconds?: number;
  /** Folder for temporary files. @default the system's */
  tempDir?: string;
};

type CallOptions = { signal?: AbortSignal | undefined; progress?: ((rows: number) => void) | undefined };

const MiB = 1024 * 1024;
const heapMb = 512;
const startMs = 30_000;
/** Rows made are time earned, in ms for each: a small file may hold many, and work that goes on is not a hang. */
const rowMs = 0.05;
/** A child is replaced after this many requests: what a library leaks does not grow for ever. */
const requestsPerChild = 200;

const abortError = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason });

/** The child ended before it read the request: not the input's fault. */
class NotStarted extends Error {
  override readonly name = 'TablesUnavailable';
  readonly retryable = true;
}

/** What the end of a child in the middle of a request says about the input. */
function verdictOf(ended: Ended, subject: string): BadInput {
  if (/heap out of memory|invalid (array|table|size)/i.test(ended.stderr))
    return new BadInput('too_large', `${subject}: needs more memory than a table may take`);
  return new BadInput('crashed', `${subject}: the process that opened it ended (${ended.signal ?? `code ${ended.code}`})`);
}

/**
 * Tables opened in a child process: started on demand, one request at a time, killed with its whole group on
 * too much memory or time. A kill ends that request in a `BadInput`; the next one gets a fresh child.
 */
export function createTables({ memoryMb = 1024, seconds = 60, tempDir }: TablesOptions = {}): Tables {
  let child: Child | undefined;
  let served = 0;
  let ids = 0;
  let closed = false;
  let queue: Promise<unknown> = Promise.resolve();

  const retire = (): void => {
    child?.kill();
    child = undefined;
  };

  const current = async (): Promise<Child> => {
    if (served >= requestsPerChild) retire();
    if (child) return child;
    served = 0;
    const started = await startChild({ heapMb, memoryMb: Math.floor(memoryMb / 3), ...(tempDir === undefined ? {} : { tempDir }) });
    started.onEnd = () => {
      if (child === started) child = undefined;
    };
    child = started;
    return started;
  };

  const limitMessage: Partial<Record<Verdict, string>> = {
    too_large: `needs more than ${memoryMb} MiB of memory`,
    timeout: 'takes longer than its time limit',
  };

  async function exchange<M extends Method>(
    method: M,
    input: Methods[M]['input'],
    file: string,
    { signal, progress }: CallOptions,
  ): Promise<Methods[M]['output']> {
    if (closed) throw new Error('tables are closed');
    if (signal?.aborted) throw abortError(signal);
    const subject = basename(file);
    const bytes = await stat(file).then(
      ({ size }) => size,
      () => 0,
    );
    const at = await current();
    served += 1;
    const id = ++ids;
    let started = false;
    let rows = 0;
    const { promise, resolve, reject } = Promise.withResolvers<Methods[M]['output']>();
    const timeMs = (seconds + (bytes / (50 * MiB)) * 10) * 1_000;
    // Starting the child is not the input's time.
    let guard = watch(at.pid, { memoryBytes: memoryMb * MiB, timeMs: startMs }, () => {
      reject(new NotStarted('the process that opens tables does not start'));
      retire();
    });
    const begin = (): void => {
      started = true;
      guard.stop();
      guard = watch(at.pid, { memoryBytes: memoryMb * MiB, timeMs }, (verdict) => {
        reject(new BadInput(verdict, `${subject}: ${limitMessage[verdict]}`));
        retire();
      });
    };
    const abort = (): void => {
      reject(abortError(signal!));
      retire();
    };
    at.onReply = (reply) => {
      if (reply.id !== id) return;
      if (reply.kind === 'started') begin();
      else if (reply.kind === 'progress') {
        guard.extend((reply.rows - rows) * rowMs);
        rows = reply.rows;
        progress?.(rows);
      } else if (reply.kind === 'value') resolve(reply.value as Methods[M]['output']);
      else if (reply.kind === 'verdict') reject(new BadInput(reply.verdict, reply.message));
      else reject(new Error(`${subject}: ${reply.message}`));
    };
    at.onEnd = (ended) => {
      if (child === at) child = undefined;
      if (closed) reject(new Error('tables are closed'));
      else
        reject(
          started
            ? verdictOf(ended, subject)
            : new NotStarted(
                `the process that opens tables ended before it began (${ended.signal ?? `code ${ended.code}`}): ${ended.stderr.trim().slice(-500)}`,
              ),
        );
    };
    signal?.addEventListener('abort', abort, { once: true });
    at.hold(true);
    try {
      at.send({ id, method, input } as ChildRequest);
      return await promise;
    } finally {
      guard.stop();
      signal?.removeEventListener('abort', abort);
      at.onReply = undefined;
      at.onEnd = () => {
        if (child === at) child = undefined;
      };
      at.hold(false);
      const resident = await at.residentBytes();
      if (child === at && resident !== undefined && resident > (memoryMb * MiB) / 2) retire();
    }
  }

  const call = <M extends Method>(
    method: M,
    input: Methods[M]['input'],
    file: string,
    options: CallOptions = {},
  ): Promise<Methods[M]['output']> => {
    const attempt = (): Promise<Methods[M]['output']> => exchange(method, input, file, options);
    // A child may die while idle, unseen until something is sent to it: that says nothing about this input.
    const result = queue.then(() => attempt().catch((error: unknown) => (error instanceof NotStarted ? attempt() : Promise.reject(error))));
    queue = result.catch(() => undefined);
    const { signal } = options;
    if (!signal) return result;
    // An abort while the request still waits for its turn is answered at once.
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(abortError(signal));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return Promise.race([result, promise]).finally(() => signal.removeEventListener('abort', abort));
  };

  return {
    inspect: (path, options) => call('inspect', { path }, path, options),
    checkColumns: (path, columns) => call('checkColumns', { path, columns }, path),
    shard: (request, options) => call('shard', request, request.source, options),
    readShard: (file) => call('readShard', { file }, file),
    pickRows: (file, wanted) => call('pickRows', { file, ids: wanted }, file),
    async close() {
      closed = true;
      const last = child;
      last?.hold(true);
      retire();
      await last?.ended;
    },
  };
}
