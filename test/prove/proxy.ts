import { randomInt } from 'node:crypto';
import { openProject, type OpenProject } from '../../cli/start/open-project.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { layPipes, roundThrough, type Round } from './support-proxied.ts';
import { answers, createProxy, createStranger, type Answer, type Proxy } from './support-proxy.ts';

const lanes = 3;

type Pipes = { stack: Stack; project: OpenProject; file: string; proxies: Proxy[] };

/** Rounds dealt to the lanes, each lane one after the other. */
async function deal<T>(count: number, play: (index: number, lane: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let index = next++; index < count; index = next++) results.push(await play(index, lane));
    }),
  );
  return results;
}

/** Errors that say what stands in between, or that the outcome cannot be known; each with its remedy. */
const refusals = ['ContractError', 'ApiError', 'Inconclusive'];

const repeatedOf = async (stack: Stack): Promise<number> => (await stack.control.journal()).repeated.length;

const first = (rounds: readonly Round[], is: (round: Round) => unknown): string => {
  const other = rounds.find(is);
  return other ? `; first other: ${other.dataset} ${other.state} ${other.error ?? ''} ${other.wrong ?? ''}` : '';
};

/** A run through a quiet proxy, after a first one through each that asks for the user of the key too: how many bytes and requests it is. */
async function measure({ proxies, ...pipes }: Pipes): Promise<{ bytes: number; requests: number }> {
  for (const lane of proxies.keys()) await roundThrough(pipes, lane, () => ({ fired: true }));
  proxies[0]!.count();
  proxies[0]!.answer();
  await roundThrough(pipes, 0, () => ({ fired: true }));
  return { bytes: proxies[0]!.bytes, requests: proxies[0]!.requests };
}

async function resets(pipes: Pipes, count: number, bytes: number): Promise<Line[]> {
  const before = await repeatedOf(pipes.stack);
  const rounds = await deal(count, (_, lane) =>
    roundThrough(pipes, lane, () => {
      pipes.proxies[lane]!.answer();
      return pipes.proxies[lane]!.cut(randomInt(bytes), 'reset');
    }),
  );
  const well = rounds.filter(({ state, wrong }) => state === 'done' && !wrong);
  const repeated = (await repeatedOf(pipes.stack)) - before;
  return [
    line(
      'connections reset at drawn byte positions: runs that end well, with all rows once',
      `${well.length} of ${rounds.length}, ${rounds.filter(({ fired }) => fired).length} of them hit${first(rounds, (round) => round.state !== 'done' || round.wrong)}`,
      `all of ${count}`,
      well.length === count && rounds.filter(({ fired }) => fired).length >= count / 2,
    ),
    line('connections reset: effects repeated', repeated, '0', repeated === 0),
  ];
}

async function stalls(pipes: Pipes, count: number, bytes: number, stallMs: number): Promise<Line> {
  const rounds = await deal(count, async (_, lane) => {
    const proxy = pipes.proxies[lane]!;
    proxy.answer();
    const cut = proxy.cut(randomInt(bytes), 'stall');
    // Held until the run is seen to stand: by the clock of the proof, not by that of the product.
    let released: NodeJS.Timeout | undefined;
    const watched = setInterval(() => {
      if (cut.fired) released ??= setTimeout(() => proxy.release(), stallMs);
    }, 500);
    try {
      return await roundThrough(pipes, lane, () => cut);
    } finally {
      clearInterval(watched);
      clearTimeout(released);
      proxy.release();
    }
  });
  const well = rounds.filter(({ state, wrong }) => state === 'done' && !wrong).length;
  return line(
    `connections that stand still for ${stallMs / 1_000} s in the middle of a message: runs that end well`,
    `${well} of ${rounds.length}${first(rounds, (round) => round.state !== 'done' || round.wrong)}`,
    'all',
    well === rounds.length,
  );
}

async function troubles(pipes: Pipes, answer: Answer, positions: readonly number[]): Promise<Line[]> {
  const before = await repeatedOf(pipes.stack);
  const rounds = await deal(positions.length, (index, lane) =>
    roundThrough(pipes, lane, () => {
      pipes.proxies[lane]!.count();
      return pipes.proxies[lane]!.answer({ nth: positions[index]!, answer });
    }),
  );
  const ends = Object.entries(Object.groupBy(rounds, ({ state, error }) => (error ? `${state}: ${error}` : state))).map(
    ([end, of]) => `${of!.length} ${end}`,
  );
  const wrong = rounds.filter((round) => round.wrong).length;
  const declared = rounds.filter(({ state, error }) => state === 'done' || refusals.includes(error ?? '')).length;
  const repeated = (await repeatedOf(pipes.stack)) - before;
  // A proxy that delivers twice repeats by itself: what it may not do is to make the result wrong unseen.
  const mayRepeat = answer === 'delivered twice';
  return [
    line(
      `${answer}, at each request of a run`,
      `${ends.join(', ')}; ${wrong} ended well and wrong${first(rounds, (round) => round.wrong)}`,
      'done, or refused with a remedy; 0 wrong',
      rounds.every(({ fired }) => fired) && declared === rounds.length && wrong === 0,
    ),
    ...(mayRepeat ? [] : [line(`${answer}: effects repeated`, repeated, '0', repeated === 0)]),
  ];
}

/** Without looking up, an answer that is cut off makes a second dataset: the rounds can see a repeat. */
async function control(bundle: string): Promise<Line> {
  const stranger = await createStranger();
  await using stack = await createStack({ bundle, without: ['lookUp'] });
  const proxy = await createProxy(() => stack.url, stranger.url);
  const file = await layPipes(stack, [proxy]);
  await using project = await openProject({ cwd: stack.dir });
  const pipes: Pipes = { stack, project, file, proxies: [proxy] };
  const { requests } = await measure(pipes);
  const before = await repeatedOf(stack);
  for (let nth = 1; nth <= requests; nth++)
    await roundThrough(pipes, 0, () => {
      proxy.count();
      return proxy.answer({ nth, answer: 'cut answer' });
    });
  const repeated = (await repeatedOf(stack)) - before;
  await proxy.close();
  await stranger.close();
  return line('control: without looking a lost answer up, cut answers repeat effects', repeated, '≥ 1', repeated >= 1);
}

/** A client that takes its key along when it is sent elsewhere: the other host can see one. */
async function controlKey(): Promise<Line> {
  const stranger = await createStranger();
  const proxy = await createProxy(() => 'http://127.0.0.1:9', stranger.url);
  proxy.answer({ nth: 1, answer: 'redirect to another host' });
  const headers = { authorization: 'Bearer key' };
  const sent = await fetch(`${proxy.url}/v1/user`, { headers, redirect: 'manual' });
  await fetch(sent.headers.get('location')!, { headers });
  await proxy.close();
  await stranger.close();
  return line('control: a client that follows by hand brings its key to the other host', stranger.seen.keys, '1', stranger.seen.keys === 1);
}

export const proof: Proof = {
  name: 'proxy',
  sets: ['floor'],
  what: 'a proxy between worker and service resets, stalls, delivers twice, cuts and invents answers, points elsewhere: ends as declared, nothing twice',
  async run({ note, rounds, short }) {
    await using bundle = await createBundle();
    const stranger = await createStranger();
    const lines: Line[] = [];
    {
      await using stack = await createStack({ bundle: bundle.path });
      const proxies = await Promise.all(Array.from({ length: lanes }, () => createProxy(() => stack.url, stranger.url)));
      const file = await layPipes(stack, proxies);
      await using project = await openProject({ cwd: stack.dir });
      const pipes: Pipes = { stack, project, file, proxies };
      const whole = await measure(pipes);
      note(`a run is ${whole.requests} requests and ${whole.bytes} bytes`);
      lines.push(...(await resets(pipes, short ? 12 : 200 * rounds, whole.bytes)));
      note('resets are over');
      lines.push(await stalls(pipes, short ? 3 : 12 * rounds, whole.bytes, short ? 5_000 : 30_000));
      const positions = Array.from({ length: whole.requests }, (_, at) => at + 1);
      for (const answer of Object.keys(answers) as Answer[]) {
        // A second delivery does harm at one request alone, the creation: the short round tries it at each as well.
        lines.push(...(await troubles(pipes, answer, short && answer !== 'delivered twice' ? positions.slice(-3) : positions)));
        note(`${answer}: over`);
      }
      lines.push(line('keys that reached another host', stranger.seen.keys, '0', stranger.seen.keys === 0));
      for (const proxy of proxies) await proxy.close();
    }
    await stranger.close();
    lines.push(await controlKey(), await control(bundle.path));
    return lines;
  },
};
