import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { endWithout } from './end-process.ts';
import type { ChildContext, ChildReply, ChildRequest, ChildSettings, Method, Methods } from '../protocol.ts';
import { BadInput } from '../../errors/classes.ts';
import { shortageOf } from '../../errors/system.ts';

// The process that opens user bytes. One request at a time, beside the loading of code; the parent queues, watches and kills.

type Handler<M extends Method> = (input: Methods[M]['input'], context: ChildContext) => Promise<Methods[M]['output']>;

const handlers: { [M in Method]: () => Promise<Handler<M>> } = {
  warm: async () => (await import('./warm.ts')).warm,
  inspect: async () => (await import('./inspect.ts')).inspect,
  checkColumns: async () => (await import('./check-columns.ts')).checkColumns,
  checkSql: async () => (await import('./check-sql.ts')).checkSql,
  measure: async () => (await import('./rows/measure.ts')).measure,
  preview: async () => (await import('./preview.ts')).preview,
  shard: async () => (await import('./rows/shard.ts')).shard,
  arrowFile: async () => (await import('./arrow-file.ts')).arrowFile,
  digestParts: async () => (await import('./digest-parts.ts')).digestParts,
  listRows: async () => (await import('./rows/list-rows.ts')).listRows,
  readShard: async () => (await import('./rows/shard-reader.ts')).readShard,
  unpackArrow: async () => (await import('./unpack-arrow.ts')).unpackArrow,
  pickRows: async () => (await import('./rows/shard-reader.ts')).pickRows,
  describeImage: async () => (await import('./images/describe.ts')).describeImage,
  shrinkImage: async () => (await import('./images/shrink.ts')).shrinkImage,
  parseDocument: async () => (await import('./documents/parse.ts')).parseDocument,
};

/** A message goes into histories and on screens; the input has its say in it. */
const longestMessage = 4_000;

const settings = JSON.parse(process.argv[2] ?? '') as ChildSettings;

// Where the parent is gone, its end is seen to below: a failed write must not come first.
const send = (reply: ChildReply): void => void process.send?.(reply, undefined, undefined, () => undefined);

// Where the whole machine runs out of memory, Linux ends this process and not the worker.
if (process.platform === 'linux') {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // a system without it
  }
}

async function answer({ id, method, input }: ChildRequest): Promise<void> {
  const context: ChildContext = {
    ...settings,
    progress: (rows, note) => send({ id, kind: 'progress', rows, ...(note === undefined ? {} : { note }) }),
    unpacked: (bytes) => send({ id, kind: 'unpacked', bytes }),
    earned: (ms) => send({ id, kind: 'earned', ms }),
  };
  try {
    const handler = (await handlers[method]()) as Handler<Method>;
    // Loading the code is not the input's time.
    send({ id, kind: 'started' });
    send({ id, kind: 'value', value: await handler(input, context) });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const message = text.length > longestMessage ? `${text.slice(0, longestMessage)} …` : text;
    const shortage = shortageOf(error);
    if (error instanceof BadInput) send({ id, kind: 'verdict', verdict: error.verdict, message });
    else if (shortage) send({ id, kind: 'unavailable', resource: shortage.resource, message: shortage.message });
    else send({ id, kind: 'error', message });
  }
}

process.on('message', (request: ChildRequest) => void answer(request));

process.on('disconnect', () => endWithout(settings.tempDir));
// It may have gone while this process started.
if (!process.connected) endWithout(settings.tempDir);

// A file can hold the main thread for ever; this thread still sees that the parent is gone.
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
new Worker(new URL(`./guard${extension}`, import.meta.url), { workerData: { ...settings, parent: process.ppid } }).unref();
