import { setTimeout } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { stackLines, type CallFrame } from '../text/stack-lines.ts';
import { load, type LoadReport, type LoadWatch } from './loaded-in.ts';

// The thread beside the one that loads files of a user's: by the debugger of the process it ends code that lets nothing else run.

/** Time for the loading thread to say by itself that the time is over: its event loop turns then. */
const graceMs = 2_000;

parentPort!.on('message', (given: LoadWatch) => look(given).catch(() => undefined));

async function look({ id, ms, state }: LoadWatch): Promise<void> {
  await setTimeout(ms + graceMs);
  if (Atomics.load(state, load.over) !== 0) return;
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url));
  session.on('Debugger.paused', ({ params }) => {
    // The load may have ended since: then other code stands here, and goes on.
    const terminateOnResume = Atomics.load(state, load.over) === 0;
    // Before the code goes: once it has gone nothing may be left for the process to wait for.
    if (terminateOnResume) {
      Atomics.store(state, load.stopping, 1);
      parentPort!.postMessage({ id, stack: stackLines(params.callFrames satisfies CallFrame[], files) } satisfies LoadReport);
    }
    session.post('Debugger.resume', { terminateOnResume }).catch(() => undefined);
    // A process that ends with a debugger connected waits for it.
    session.disconnect();
  });
  await session.post('Debugger.enable');
  await session.post('Debugger.pause');
}
