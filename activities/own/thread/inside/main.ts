import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { pathToFileURL } from 'node:url';
import type { ItemFate, OwnCode, OwnPoll, OwnStep, OwnSweep } from '../../../../pipelines/own/define.ts';
import { importDefault } from '../../../../pipelines/file/import-module.ts';
import { createChannel } from '../channel.ts';
import { createErrorCodec } from '../error-codec.ts';
import type { CallFacts, ListedItem, ThreadMethods, ThreadSettings, WorkerMethods } from '../protocol.ts';
import { badInput } from './bad-input.ts';
import { createContexts } from './contexts.ts';
import { namedBy } from './item-key.ts';
import { progressFields } from './progress.ts';

// The thread that a user's code runs in: what it does reaches out of here only by messages to the worker.

const { file, operations, begun } = workerData as ThreadSettings;

let loaded: Promise<OwnCode> | undefined;
const load = (): Promise<OwnCode> =>
  (loaded ??= importDefault(pathToFileURL(file).href, 'defineStep').then((found) => {
    if ('value' in found) return found.value as OwnCode;
    throw new Error(`${found.at ?? file}: ${found.problem}${found.remedy === undefined ? '' : `; ${found.remedy}`}`);
  }));
const step = async (): Promise<OwnStep> => (await load()) as OwnStep;
const poll = async (): Promise<OwnPoll> => (await load()) as OwnPoll;
const sweep = async (): Promise<OwnSweep> => (await load()) as OwnSweep;

/** What a look gives that found nothing done. */
const notYet = z.strictObject({
  againSeconds: z.number().nonnegative().optional(),
  progress: z.strictObject(progressFields).optional(),
});

/** A value as it leaves the thread. `what`: its name in the message where it is no JSON. */
function json(what: string, value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw badInput(`${what} is not plain JSON`);
  return text;
}

const channel = createChannel<WorkerMethods, ThreadMethods>(
  parentPort!,
  {
    load: async () => {
      await load();
      return null;
    },
    ping: async () => null,
    onItems: (given) => contexts.onItems(given),
    onAnswer: (given) => contexts.onAnswer(given),

    async run({ input, ...facts }, signal) {
      const own = await step();
      const parsed = await fitting('the input', own.input, input);
      begin(facts);
      return json('the output', await fitting('the output', own.output, await own.run(parsed, contexts.of(facts, signal))));
    },

    async start({ input, ...facts }, signal) {
      const own = await poll();
      const parsed = await fitting('the input', own.input, input);
      begin(facts);
      return json('what start gave', await own.start(parsed, contexts.of(facts, signal)));
    },

    async check({ input, job, waitedSeconds, ...facts }, signal) {
      const own = await poll();
      const parsed = await fitting('the input', own.input, input);
      begin(facts);
      const looked = (await own.check(job, Object.assign(contexts.of(facts, signal), { input: parsed, waitedSeconds }))) ?? {};
      return json(
        'what check gave',
        'output' in looked
          ? { output: await fitting('the output', own.output, looked.output) }
          : await fitting('what check gave', notYet, looked),
      );
    },

    async items({ input, batch, ...facts }, signal) {
      const own = await sweep();
      let items: ListedItem[] = [];
      const flush = async (): Promise<void> => {
        await channel.request('list', { scope: facts.scope, items });
        items = [];
      };
      let at = 0;
      const parsed = await fitting('the input', own.input, input);
      begin(facts);
      for await (const item of listOf(await own.items(parsed, contexts.of(facts, signal)))) {
        signal.throwIfAborted();
        items.push({ item: json(`item ${at}`, item), key: namedBy(own, item, at) });
        at++;
        if (items.length === batch) await flush();
      }
      if (items.length > 0) await flush();
      return null;
    },

    async each({ item, index, ...facts }, signal) {
      const own = await sweep();
      begin(facts);
      return json('the fate', await fateOf(own, await own.each(JSON.parse(item), Object.assign(contexts.of(facts, signal), { index }))));
    },
  },
  createErrorCodec({ stacks: 'receiver' }),
);

const contexts = createContexts(channel, operations);

const exit = process.exit.bind(process);
process.exit = (code) => {
  void channel.request('exits', { stack: new Error().stack?.replace(/^.*\n/, '') ?? '' }).catch(() => undefined);
  return exit(code);
};

/** Known to the worker also where this thread ends in the next moment. */
const begin = ({ cell }: CallFacts): void => void Atomics.store(begun, cell, process.hrtime.bigint());

/** What became of an item, its result as the sweep's schema makes it. */
async function fateOf(own: OwnSweep, fate: ItemFate | void): Promise<object> {
  if (fate?.result === undefined) return { ...fate };
  if (!own.result) throw new Error(`${own.name} gave a result, but declares none; say what it holds: result: z.object({ … })`);
  return { ...fate, result: await fitting('the result', own.result, fate.result) };
}

/** A value as its schema makes it. `what`: its name in the message where it does not fit. */
async function fitting<S extends z.ZodType>(what: string, schema: S, value: unknown): Promise<z.output<S>> {
  const parsed = await schema.safeParseAsync(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${what} does not fit its schema: ${[what.split(' ').at(-1), ...issue!.path].join('.')}: ${issue!.message}`);
}

/** What `items` gave, as it is read. */
function listOf<T>(given: Iterable<T> | AsyncIterable<T>): Iterable<T> | AsyncIterable<T> {
  if (typeof given === 'object' && given !== null && (Symbol.iterator in given || Symbol.asyncIterator in given)) return given;
  throw new Error(`items gave ${given === null ? 'null' : `a value of type ${typeof given}`}: a list was expected, or a generator`);
}
