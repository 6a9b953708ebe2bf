import { condition, defineQuery, defineSignal, setHandler } from '@temporalio/workflow';

/** How long it has waited for a signal by its own clock, in milliseconds. */
export async function waiter(): Promise<number> {
  let signalled = false;
  setHandler(defineQuery<string>('state'), () => (signalled ? 'awake' : 'asleep'));
  setHandler(defineSignal('wake'), () => void (signalled = true));
  const begun = Date.now();
  await condition(() => signalled);
  return Date.now() - begun;
}
