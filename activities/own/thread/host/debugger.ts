import { Session } from 'node:inspector/promises';
import type { Worker } from 'node:worker_threads';
import { stackLines, type CallFrame } from '../../../../text/stack-lines.ts';

/** What the debugger says of a thread that it has stopped. */
type Paused = { reason: string; callFrames: CallFrame[] };

/** Code that waits without running, as in `Atomics.wait`, cannot be stopped. */
const patienceMs = 2_000;

/**
 * Where the code of a thread is, as lines of a stack, though it lets nothing else run: the debugger stops it for a moment. Undefined
 * where it cannot be stopped.
 */
export async function stackOf(worker: Worker): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => resolve(undefined), patienceMs);
  const debug = debugThread(worker, { stop: true, onPaused: (_, stack) => resolve(stack) });
  const stack = await promise;
  clearTimeout(timer);
  await debug.end();
  return stack;
}

/** Watches a thread for the moment in which its memory is full, and says where its code is then; it ends after that. */
export const watchMemory = (worker: Worker, onFull: (stack: string) => void): { end(): Promise<void> } =>
  debugThread(worker, { stop: false, onPaused: ({ reason }, stack) => reason === 'OOM' && onFull(stack) });

/** Follows a thread by the debugger of this process: `onPaused` for each time that it is stopped, after which it goes on. */
function debugThread(worker: Worker, { stop, onPaused }: { stop: boolean; onPaused: (paused: Paused, stack: string) => void }) {
  const session = new Session();
  const files = new Map<string, string>();
  let thread: string | undefined;
  let last = 0;
  const send = (method: string, params = {}): void =>
    void session
      .post('NodeWorker.sendMessageToWorker', { sessionId: thread!, message: JSON.stringify({ id: ++last, method, params }) })
      .catch(() => undefined);
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    if (!workerInfo.title.startsWith(`[worker ${worker.threadId}]`)) return;
    thread = sessionId;
    send('Debugger.enable');
    if (stop) send('Debugger.pause');
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
    if (sessionId !== thread) return;
    const { method, params } = JSON.parse(message) as { method?: string; params?: unknown };
    if (method === 'Debugger.scriptParsed') {
      const { scriptId, url } = params as { scriptId: string; url: string };
      files.set(scriptId, url);
    } else if (method === 'Debugger.paused') {
      onPaused(params as Paused, stackLines((params as Paused).callFrames, files));
      send('Debugger.resume');
    }
  });
  session.connect();
  const begun = session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }).catch(() => undefined);
  return {
    async end() {
      await begun;
      if (thread !== undefined) send('Debugger.disable');
      await session.post('NodeWorker.disable').catch(() => undefined);
      session.disconnect();
    },
  };
}
