import { expect, test } from 'vitest';
import type { Calls } from '../../client/invoke.ts';
import { patient } from '../../client/patient.ts';
import { Wait } from '../../client/wait.ts';

/** Calls that must wait so often, each so long, and then are answered. */
function waiting(times: number, ms: number, signal = new AbortController().signal) {
  let asked = 0;
  const ask = async (): Promise<any> => {
    if (asked++ < times) throw new Wait('later', ms);
    return { data: ['one'] };
  };
  const calls: Pick<Calls, 'invoke' | 'pages'> = {
    invoke: ask,
    async *pages(_operation, _input, { each = <T>(page: () => Promise<T>) => page() } = {}) {
      yield await each(ask);
    },
  };
  return { calls: patient({ ...calls, signal }), asked: () => asked };
}

test('a call, and each page of a list, is asked for again when its wait is over', async () => {
  const one = waiting(3, 1);
  expect(await one.calls.invoke('instance.agents.get', { id: 'a' })).toEqual({ data: ['one'] });
  const list = waiting(3, 1);
  for await (const page of list.calls.pages('instance.agents.list', {})) expect(page).toEqual({ data: ['one'] });
  expect([one.asked(), list.asked()]).toEqual([4, 4]);
});

test('a wait ends with what it is done for', async () => {
  const stop = new AbortController();
  const { calls, asked } = waiting(1, 60_000, stop.signal);
  const asking = calls.invoke('instance.agents.get', { id: 'a' });
  setImmediate(() => stop.abort(new Error('over')));
  await expect(asking).rejects.toThrow('aborted');
  expect(asked()).toBe(1);
});

test('a wait that is longer than an attempt is left to whoever asks', async () => {
  const { calls, asked } = waiting(1, 2 ** 31);
  await expect(calls.invoke('instance.agents.get', { id: 'a' })).rejects.toThrow('later');
  expect(asked()).toBe(1);
});
