import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hadNoEffect, sendOnce, wasBegun, type OnceCall, type OnceContext } from '../../activities/effects/send-once.ts';
import { GivenAway } from '../../activities/frame/fence.ts';
import { ApiError, ContractError, NetworkError, Throttled } from '../../client/errors.ts';
import { Inconclusive, Unavailable, Undecided } from '../../errors/classes.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { openIntents } from '../../store/intents.ts';

const info = { operation: 'maps.projects.create', requestId: 'r' };
const network = (sent: boolean) => new NetworkError({ ...info, code: 'ECONNRESET', sent, url: 'http://x' });
const answered = (status: number, retryable = false, nothingHappened = false) =>
  new ApiError({ ...info, status, body: '', retryable, nothingHappened, detail: '' });
const throttled = (status: number | undefined) =>
  new Throttled({ ...info, limit: 'maps/write', waitMs: 1, sent: status !== undefined, ...(status === undefined ? {} : { status }) });

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-once-'));
  await mkdir(join(root, 'run'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** One attempt: what it leaves in the store is what the next one finds. Not closed, it was killed. */
function attempt(name: string, { settleMs = 0, lookUp = true } = {}) {
  const store = createRunStore(join(root, 'run'));
  const intents = openIntents(store, ['step', 'main'], name);
  let passed = 0;
  const context: OnceContext = {
    step: 'step',
    store,
    lookUp,
    intents: () => intents,
    effectsSent: () => passed,
    connection: () => ({ settleMs }),
    signal: new AbortController().signal,
  };
  return {
    context,
    pass: () => passed++,
    async [Symbol.asyncDispose]() {
      await intents.close();
    },
  };
}

/** An attempt that ended, well or not. */
async function ended<T>(name: string, call: OnceCall<T>, options: Parameters<typeof attempt>[1] = {}) {
  await using made = attempt(name, options);
  return await sendOnce(made.context, call);
}

/** A service that makes one thing more with every call that lands. */
function service() {
  const made: string[] = ['before'];
  const log: string[] = [];
  const call = (fail?: Error, lands = true): OnceCall<{ id: string }> => ({
    operation: info.operation,
    input: { name: 'x' },
    lookup: {
      before: async () => (log.push('before'), [...made]),
      async find(before) {
        log.push('find');
        const found = made.filter((id) => !before.includes(id));
        if (found.length > 1) return { unknown: 'two were made' };
        return found[0] === undefined ? 'absent' : { answer: { id: found[0] } };
      },
    },
    async send() {
      log.push('send');
      if (lands) made.push(`made-${made.length}`);
      if (fail) throw fail;
      return { id: made.at(-1)! };
    },
  });
  return { made, log, call };
}

test('an undisturbed call is sent once, with a look at what is there already', async () => {
  const { log, call } = service();
  const { context } = attempt('1');
  expect(await sendOnce(context, call())).toEqual({ value: { id: 'made-1' }, found: false });
  expect(log).toEqual(['before', 'send']);
});

test('what ended is not sent again by the next attempt, and its answer is the first one', async () => {
  const { log, call } = service();
  await ended('1', call());
  const { context } = attempt('2');
  expect(wasBegun(context, call())).toBe(true);
  expect(await sendOnce(context, call())).toEqual({ value: { id: 'made-1' }, found: true });
  expect(log).toEqual(['before', 'send']);
});

test('a lost answer is looked up, and what was there before is not its effect', async () => {
  const { made, log, call } = service();
  expect(await ended('1', call(network(true)))).toEqual({ value: { id: 'made-1' }, found: true });
  expect(log).toEqual(['before', 'send', 'find']);
  expect(made).toEqual(['before', 'made-1']);
});

test('an effect that is there twice is noticed, by the attempt that sent it and by one after it', async () => {
  const { made, log, call } = service();
  const twice = (): OnceCall<{ id: string }> => {
    const once = call();
    return {
      ...once,
      lookup: { ...once.lookup!, made: async (before) => made.filter((id) => !before.includes(id)) },
      send: async () => (made.push('delivered first'), once.send()),
    };
  };
  for (const name of ['1', '2']) {
    const ending = ended(name, twice());
    await expect(ending).rejects.toThrow(Inconclusive);
    await expect(ending).rejects.toThrow(/sent once, and 2 were made since \(delivered first, made-2\)/);
  }
  expect(log).toEqual(['before', 'send']);
});

test('what was delivered before it was refused is not taken for what was there already', async () => {
  const { made, log, call } = service();
  const counted = (once: OnceCall<{ id: string }>): OnceCall<{ id: string }> => ({
    ...once,
    lookup: { ...once.lookup!, made: async (before) => made.filter((id) => !before.includes(id)) },
  });
  await expect(ended('1', counted(call(throttled(429))))).rejects.toThrow(Throttled);
  const next = ended('2', counted(call()));
  await expect(next).rejects.toThrow(Inconclusive);
  await expect(next).rejects.toThrow(/2 were made since \(made-1, made-2\)/);
  expect(log).toEqual(['before', 'send', 'send']);
});

test('what was lost on its way is sent again after a second look', async () => {
  const { made, log, call } = service();
  const disturbed = call(network(true), false);
  let sent = 0;
  const once = { ...disturbed, send: async () => (sent++ === 0 ? disturbed.send() : call().send()) };
  expect(await ended('1', once)).toMatchObject({ found: false });
  expect(log).toEqual(['before', 'send', 'find', 'find', 'send']);
  expect(made).toEqual(['before', 'made-1']);
});

test('an effect that lands while it is waited for is found', async () => {
  const { made, call } = service();
  const once = call(network(true), false);
  const late = {
    ...once,
    lookup: {
      ...once.lookup!,
      find: async (before: readonly string[]) => {
        const found = await once.lookup!.find(before);
        // Between the two looks.
        if (made.length === 1) made.push('late');
        return found;
      },
    },
  };
  expect(await ended('1', late)).toEqual({ value: { id: 'late' }, found: true });
});

test('a killed attempt leaves an open intent: the next one looks first', async () => {
  const { log, call } = service();
  const { context } = attempt('1');
  void sendOnce(context, { ...call(), send: async () => (await call().send(), new Promise<never>(() => undefined)) });
  await expect.poll(() => log.length).toBe(2);
  expect(await ended('2', call())).toEqual({ value: { id: 'made-1' }, found: true });
  expect(log).toEqual(['before', 'send', 'find']);
});

test.each([
  ['a wait of the service', throttled(429)],
  ['an overloaded service', throttled(503)],
  ['a closed limit', throttled(undefined)],
  ['a refusal', answered(403)],
  ['a redirect', answered(307)],
  ['a lock', answered(409, true, true)],
  ['a failure of which the contract says so', answered(500, false, true)],
  ['a refused connection', network(false)],
  ['a request that fits no contract', new ContractError('x', 'request', 'y')],
  ['an attempt that was given away', new GivenAway('x')],
])('%s takes the intent back: the next attempt sends at once', async (_, error) => {
  const { log, call } = service();
  await expect(ended('1', call(error, false))).rejects.toBe(error);
  const { context } = attempt('2');
  expect(wasBegun(context, call())).toBe(false);
  await sendOnce(context, call());
  expect(log).toEqual(['before', 'send', 'send']);
});

test.each([
  throttled(202),
  throttled(408),
  throttled(425),
  throttled(500),
  answered(408, true),
  answered(425, true),
  answered(507),
  answered(500, true),
  network(true),
  new ContractError('x', 'answer', 'y'),
  new Error('x'),
])('no other failure says that nothing happened: %s', (error) => expect(hadNoEffect(error)).toBe(false));

test('of several calls in one, a refusal of the last one takes nothing back', async () => {
  const { call } = service();
  {
    await using first = attempt('1');
    const two = { ...call(), send: async () => Promise.reject(throttled(429)), left: () => 1 };
    await expect(sendOnce(first.context, two)).rejects.toBeInstanceOf(Throttled);
  }
  expect(wasBegun(attempt('2').context, call())).toBe(true);
});

test('where nothing can be looked up a person decides, and only where something may have happened', async () => {
  const { log, call } = service();
  const { lookup: _, ...never } = call(network(true));
  await expect(ended('1', never)).rejects.toThrow(Undecided);
  await expect(ended('2', never)).rejects.toThrow(/an earlier attempt never reported/);
  expect(log).toEqual(['send']);
});

test('a look-up that finds no certainty is for a person too', async () => {
  const { made, call } = service();
  const twice = { ...call(), send: async () => (made.push('one', 'two'), Promise.reject(network(true))) };
  await expect(ended('1', twice)).rejects.toThrow(/may have been carried out .*: two were made/);
});

test('another input is another call', async () => {
  const { log, call } = service();
  await ended('1', call());
  await ended('2', { ...call(), input: { name: 'y' } });
  expect(log).toEqual(['before', 'send', 'before', 'send']);
});

test('without looking up, the control of proofs, an open intent is sent again', async () => {
  const { made, call } = service();
  await expect(ended('1', call(network(true)), { lookUp: false })).rejects.toBeInstanceOf(NetworkError);
  await ended('2', call(), { lookUp: false });
  expect(made).toEqual(['before', 'made-1', 'made-2']);
});

test.for([
  ['that was given away', new GivenAway('x')],
  ['whose server is gone', new Unavailable('temporal', 'x')],
])('of an attempt %s nothing is known once its call has left', async ([, error]) => {
  const { call } = service();
  for (const leaves of [false, true]) {
    {
      await using first = attempt(`1-${leaves}`);
      const send = async () => (leaves && first.pass(), Promise.reject(error));
      await expect(sendOnce(first.context, { ...call(), send })).rejects.toBe(error);
    }
    expect(wasBegun(attempt(`2-${leaves}`).context, call())).toBe(leaves);
  }
});

test('a second answer that fits no contract is looked up too: nobody tries it again', async () => {
  const { made, call } = service();
  const unfit = new ContractError('x', 'answer', 'y');
  let sent = 0;
  const second = { ...call(), send: async () => (sent++ === 0 ? call(unfit, false).send() : call(unfit).send()) };
  expect(await ended('1', second)).toEqual({ value: { id: 'made-1' }, found: true });
  expect([sent, made]).toEqual([2, ['before', 'made-1']]);

  const vain = { ...call(unfit, false), input: { name: 'z' } };
  await expect(ended('2', vain)).rejects.toBe(unfit);
  expect(wasBegun(attempt('3').context, vain)).toBe(false);
});
