import { resolve } from 'node:path';
import { parseReading, type Readings } from '../../contracts/assumptions/index.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { table } from '../render/table.ts';
import { port } from '../project/port.ts';
import { defineVerb } from '../frame/verb.ts';

export const service = defineVerb({
  name: 'service',
  summary: 'The local service alone.',
  usage: '',
  details:
    'Every API at one URL. Prints it, and an admin key of each API that is ready to use. One process holds a data folder at a time. Ctrl-C or SIGTERM ends it in order.',
  options: {
    port: { type: 'string', value: 'PORT', description: 'Default 7411; 0: a free one.' },
    data: { type: 'string', value: 'FOLDER', description: 'Where datasets, keys and journal are kept (default .portolan/service).' },
    embedding: { type: 'string', value: 'KIND', description: 'semantic (a sentence model; default) or lexical (fast).' },
    assume: {
      type: 'string',
      multiple: true,
      value: 'NAME=READING',
      description: 'Behave in another way where the text is silent (portolan docs assumptions); repeatable.',
    },
    allow: {
      type: 'string',
      multiple: true,
      value: 'HOST',
      description: 'Fetch files from this host too, though its addresses are not public, where a request names it.',
    },
    pages: { type: 'boolean', description: 'Show maps and datasets to browsers of this machine, without a key.' },
    control: { type: 'boolean', description: 'Switch its control plane on: ordered faults and the journal; this machine only.' },
    json: { type: 'boolean', description: 'One JSON object with url, adminKeys and pid when it listens.' },
  },
  examples: ['portolan service --port 7411 --data .portolan/service', 'portolan service --port 0 --json'],
  async run({ options, cwd, terminal, signal }) {
    const { embedding = 'semantic' } = options;
    if (embedding !== 'semantic' && embedding !== 'lexical')
      throw new UsageError(`--embedding is one of semantic, lexical; got '${embedding}'`);
    const assumed = (options.assume ?? []).map(parseReading);
    for (const each of assumed) if ('fault' in each) throw new UsageError(`--assume: ${each.fault}`);
    const { createService } = await import('../../service/app.ts');
    const running = createService({
      dataDir: resolve(cwd, options.data ?? '.portolan/service'),
      port: port('port', options.port) ?? 7_411,
      embedding,
      outside: { allow: options.allow ?? [] },
      assume: Object.assign({}, ...assumed) as Partial<Readings>,
      control: options.control ?? false,
      pages: options.pages ?? options.control ?? false,
    });
    const { url } = await running.listen();
    if (options.json) terminal.document('service', { url, adminKeys: running.adminKeys, keyFiles: running.keyFiles, pid: process.pid });
    else terminal.out(table([['url', url], ...Object.entries(running.adminKeys).map(([api, key]) => [`${api} admin key`, key])]));
    await new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
    await running.close();
    return exit.done;
  },
});
