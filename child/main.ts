import { Worker } from 'node:worker_threads';
import { endWithout } from './end.ts';
import type { ChildContext, ChildReply, ChildRequest, ChildSettings, Method, Methods } from './protocol.ts';
import { BadInput } from './tables.ts';

// The process that opens user bytes. One request at a time; the parent queues, watches and kills.

type Handler<M extends Method> = (input: Methods[M]['input'], context: ChildContext) => Promise<Methods[M]['output']>;

const handlers: { [M in Method]: () => Promise<Handler<M>> } = {
  inspect: async () => (await import('./inspect.ts')).inspect,
  checkColumns: async () => (await import('./check-columns.ts')).checkColumns,
  shard: async () => (await import('./shard.ts')).shard,
  readShard: async () => (await import('./shard-reader.ts')).readShard,
  pickRows: async () => (await import('./shard-reader.ts')).pickRows,
};

const settings = JSON.parse(process.argv[2] ?? '') as ChildSettings;

const send = (reply: ChildReply): void => void process.send?.(reply);

async function answer({ id, method, input }: ChildRequest): Promise<void> {
  const context: ChildContext = { ...settings, progress: (rows) => send({ id, kind: 'progress', rows }) };
  send({ id, kind: 'started' });
  try {
    const handler = (await handlers[method]()) as Handler<Method>;
    send({ id, kind: 'value', value: await handler(input, context) });
  } catch (error) {
    if (error instanceof BadInput) send({ id, kind: 'verdict', verdict: error.verdict, message: error.message });
    else send({ id, kind: 'error', message: error instanceof Error ? error.message : String(error) });
  }
}

process.on('message', (request: ChildRequest) => void answer(request));

process.on('disconnect', () => endWithout(settings.tempDir));

// A file can hold the main thread for ever; this thread still sees that the parent is gone.
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
new Worker(new URL(`./guard${extension}`, import.meta.url), { workerData: { parent: process.ppid, tempDir: settings.tempDir } }).unref();
