import { parseArgs } from 'node:util';
import { parseReading } from '../contracts/assumptions/index.ts';
import type { Readings } from '../contracts/assumptions/index.ts';
import { createService } from './app.ts';
import { readOpenAiSettings } from './engine/agents/openai/settings.ts';
import type { PortTaken } from './app.ts';
import { PortInUse } from './http/listen.ts';
import { createSchedulesCommand } from './schedules-command.ts';

const hadParent = process.connected;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'or-free': { type: 'boolean', default: false },
    host: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
    control: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    project: { type: 'string' },
    embedding: { type: 'string', default: 'semantic' },
    agents: { type: 'string' },
    allow: { type: 'string', multiple: true, default: [] },
    assume: { type: 'string', multiple: true, default: [] },
  },
});

const refuse: (message: string) => never = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(2);
};

const embedding = values.embedding;
if (embedding !== 'semantic' && embedding !== 'lexical') refuse(`--embedding is ${embedding}; it must be semantic or lexical`);
const assumed = values.assume.map(parseReading);
for (const each of assumed) if ('fault' in each) refuse(`--assume: ${each.fault}`);
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) refuse(`--port is ${values.port}; it must be between 0 and 65535`);
if (values.data === undefined) refuse('--data is missing: the folder that keeps the data');

try {
  const service = createService({
    dataDir: values.data,
    // One whose supervisor was killed ends by itself, after what is under way: the next one waits for it.
    waitForFolderMs: hadParent ? 30_000 : 0,
    port,
    orFree: values['or-free'],
    ...(values.host === undefined ? {} : { host: values.host }),
    control: values.control,
    pages: values.pages || values.control,
    ...(values.project === undefined ? {} : { schedules: createSchedulesCommand(values.project) }),
    embedding,
    ...(values.agents === undefined ? {} : { agents: { endpoint: readOpenAiSettings(values.agents) } }),
    outside: { allow: values.allow },
    assume: Object.assign({}, ...assumed) as Partial<Readings>,
  });
  const { url } = await service.listen();

  const stop = (): void => {
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // A parent that is gone, however it ended, leaves no service behind.
  if (hadParent && !process.connected) stop();
  else if (hadParent) process.once('disconnect', stop);

  const { adminKeys, keyFiles } = service;
  const ready = { url, adminKeys, keyFiles, pid: process.pid };
  process.stdout.write(
    values.json
      ? `${JSON.stringify(ready)}\n`
      : `${url}\n${Object.entries(adminKeys)
          .map(([name, key]) => `${name} admin key ${key}\n`)
          .join('')}`,
  );
  process.send?.(ready);
} catch (error) {
  if (error instanceof PortInUse && process.connected)
    await new Promise((sent) => process.send?.({ portTaken: error.port } satisfies PortTaken, sent));
  refuse(error instanceof Error ? error.message : String(error));
}
