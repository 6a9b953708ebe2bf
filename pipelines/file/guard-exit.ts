import { isMainThread } from 'node:worker_threads';
import { placesOf } from '../../text/stack-places.ts';

let guarded = false;

/**
 * From now on a user's module cannot end this process: `process.exit` fails in its code, and does what it always did in ours. In a
 * thread it ends the thread alone, which whoever started it sees.
 */
export function guardExit(): void {
  if (guarded || !isMainThread) return;
  guarded = true;
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    const refusal = new Error(`its code calls process.exit(${code ?? ''})`);
    if (placesOf(refusal.stack).length > 0) throw refusal;
    return exit(code);
  };
}
