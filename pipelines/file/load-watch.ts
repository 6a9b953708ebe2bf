import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { stackLines, type CallFrame } from '../../text/stack-lines.ts';
import type { LoadReport, LoadWatch } from './loaded-in.ts';

// The thread beside the one that loads a user's file: by the debugger of the process it ends code that lets nothing else run.

/** Time for the loading thread to say that its event loop turns. */
const graceMs = 2_000;

const { ms, stopping } = workerData as LoadWatch;
const report = (message: LoadReport): void => parentPort!.postMessage(message);

await setTimeout(ms);
report('late');
const turns = await Promise.race([once(parentPort!, 'message').then(() => true), setTimeout(graceMs, false)]);
if (turns) report({ stack: undefined });
else await stop();

async function stop(): Promise<void> {
  Atomics.store(stopping, 0, 1);
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url));
  session.on('Debugger.paused', ({ params }) => {
    // Before the code goes: once it has gone nothing may be left for the process to wait for.
    report({ stack: stackLines(params.callFrames satisfies CallFrame[], files) });
    void session.post('Debugger.resume', { terminateOnResume: true });
  });
  await session.post('Debugger.enable');
  await session.post('Debugger.pause');
  // An inspector session keeps no thread alive.
  await setTimeout(graceMs);
}
