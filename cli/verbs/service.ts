import { resolve } from 'node:path';
import { parseReading, type Readings } from '../../contracts/assumptions/index.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { table } from '../render/table.ts';
import { agentsEndpoint } from '../project/agents-endpoint.ts';
import { port } from '../project/port.ts';
import { defineVerb } from '../frame/verb.ts';

export const service = defineVerb({
  name: 'service',
  summary: 'The local service alone.',
  usage: '[keys] [create]',
  details:
    'keys create makes a key of the data folder, running or not, with the scopes that it is to have, and prints it this once. Without it: every API at one URL. Prints it, and an admin key of each API that is ready to use. One process holds a data folder at a time. Ctrl-C or SIGTERM ends it in order.',
  options: {
    port: { type: 'string', value: 'PORT', description: 'Default 7411; 0: a free one.' },
    data: { type: 'string', value: 'FOLDER', description: 'Where datasets, keys and journal are kept (default .portolan/service).' },
    embedding: { type: 'string', value: 'KIND', description: 'semantic (a sentence model; default) or lexical (fast).' },
    agents: {
      type: 'string',
      value: 'FILE',
      description:
        'What answers agents in place of the built-in worker: a JSON file that names an OpenAI-compatible endpoint (docs/agents.md).',
    },
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
    pages: {
      type: 'boolean',
      description:
        'Show datasets, maps, organizations, agents, workflows, projects, files, budgets and the journal to browsers of this machine, without a key; points can be tagged there, agents stopped and asked, workflows released.',
    },
    control: { type: 'boolean', description: 'Switch its control plane on: ordered faults and the journal; this machine only.' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      description: 'keys create: what the key may do, such as developer:files; repeatable.',
    },
    user: { type: 'string', value: 'EMAIL', description: 'keys create: whose key it is (default: the first user).' },
    name: { type: 'string', value: 'NAME', description: 'keys create: how it is called (default: made by hand).' },
    json: { type: 'boolean', description: 'One JSON object with url, adminKeys and pid when it listens; keys create: with the key.' },
  },
  examples: [
    'portolan service --port 7411 --data .portolan/service',
    'portolan service --port 0 --json',
    'portolan service keys create --scope developer:files --user ada@example.com',
  ],
  async run({ args, options, cwd, terminal, signal }) {
    const dataDir = resolve(cwd, options.data ?? '.portolan/service');
    if (args.length > 0) {
      if (args.join(' ') !== 'keys create') throw new UsageError(`service has the act keys create, got '${args.join(' ')}'`);
      const { createKey } = await import('../project/service-key.ts');
      const key = createKey(dataDir, options);
      if (options.json) terminal.document('key', { key });
      else terminal.out(`${key}\n`);
      return exit.done;
    }
    if (options.scope || options.user || options.name)
      throw new UsageError('--scope, --user and --name are of keys create', 'portolan service keys create --scope SCOPE');
    const { embedding = 'semantic' } = options;
    if (embedding !== 'semantic' && embedding !== 'lexical')
      throw new UsageError(`--embedding is one of semantic, lexical; got '${embedding}'`);
    const assumed = (options.assume ?? []).map(parseReading);
    for (const each of assumed) if ('fault' in each) throw new UsageError(`--assume: ${each.fault}`);
    const endpoint = await agentsEndpoint(cwd, options.agents);
    const { createService } = await import('../../service/app.ts');
    const running = createService({
      dataDir,
      port: port('port', options.port) ?? 7_411,
      embedding,
      ...(endpoint ? { agents: { endpoint } } : {}),
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
