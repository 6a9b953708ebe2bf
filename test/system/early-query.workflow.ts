import { defineQuery, setHandler, sleep } from '@temporalio/workflow';

/** How long it has slept by its own clock, in milliseconds. */
export async function sleeper(ms: number): Promise<number> {
  setHandler(defineQuery<string>('state'), () => 'asleep');
  const begun = Date.now();
  await sleep(ms);
  return Date.now() - begun;
}
