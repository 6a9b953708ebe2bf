import { relative, resolve } from 'node:path';
import type { DevFile } from '../../config/dev-file.ts';
import type { DevOptions } from '../../dev/supervisor.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { agentsEndpoint } from '../project/agents-endpoint.ts';
import { port } from '../project/port.ts';
import { createPaint } from '../render/paint.ts';
import { table } from '../render/table.ts';
import type { Terminal } from '../frame/terminal.ts';
import { defineVerb } from '../frame/verb.ts';

const temporalSources = ['cluster', 'path', 'kept', 'download', 'pypi'] as const satisfies readonly NonNullable<
  DevOptions['temporalSource']
>[];
const embeddings = ['lexical', 'semantic'] as const satisfies readonly NonNullable<DevOptions['embedding']>[];

const oneOf = <T extends string>(option: string, value: string | undefined, allowed: readonly T[]): T | undefined => {
  if (value === undefined) return undefined;
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new UsageError(`--${option} is one of ${allowed.join(', ')}; got '${value}'`);
  return found;
};

const show = (terminal: Terminal, cwd: string, { temporal, service, worker }: DevFile): void => {
  const rows = [
    [
      'service',
      service.url,
      `admin keys in ${Object.values(service.keyFiles)
        .map((file) => relative(cwd, file) || file)
        .join(', ')}`,
    ],
    ['temporal', temporal.uiUrl ?? temporal.address, `gRPC ${temporal.address}, namespace ${temporal.namespace}, from ${temporal.source}`],
    ['worker', worker ? `process ${worker.pid}` : 'none', ''],
  ];
  terminal.out(table(rows, [], '  '));
};

export const dev = defineVerb({
  name: 'dev',
  summary: 'Temporal server, local service and workers on this machine.',
  usage: '',
  details: `Everything is kept in .portolan/: a later start goes on where this one ends, unfinished runs included.
Ports in use are replaced by free ones, but for those named by an option; .portolan/dev.json says where everything is, and every verb reads it.
The worker restarts when the configuration or a step file changes. Ctrl-C stops in order.`,
  options: {
    detach: { type: 'boolean', description: 'Start in the background; ready when the command ends.' },
    stop: { type: 'boolean', description: 'Stop the one that runs in this folder, in order.' },
    reset: { type: 'boolean', description: 'Stop it and remove its data: workflows, datasets, runs. The fetched server stays.' },
    'temporal-port': { type: 'string', value: 'PORT', description: 'Temporal’s gRPC port.' },
    'ui-port': { type: 'string', value: 'PORT', description: 'Port of Temporal’s Web UI.' },
    'service-port': { type: 'string', value: 'PORT', description: 'Port of the local service.' },
    'temporal-source': {
      type: 'string',
      value: 'SOURCE',
      description: `Where the server comes from: ${temporalSources.join(', ')}. Default: the first that works.`,
    },
    embedding: {
      type: 'string',
      value: 'KIND',
      description: 'Vectors of the local service: semantic (a sentence model) or lexical (fast).',
    },
    agents: {
      type: 'string',
      value: 'FILE',
      description: 'What answers agents of the local service: a JSON file that names an OpenAI-compatible endpoint (docs/agents.md).',
    },
    control: {
      type: 'boolean',
      description: 'Switch the control plane of the service on: ordered faults and the journal; this machine only.',
    },
    'no-worker': { type: 'boolean', description: 'Server and service only.' },
    json: { type: 'boolean', description: 'What dev.json says, when ready; --stop, --reset: what was done; one object.' },
  },
  examples: ['portolan dev', 'portolan dev --detach && portolan run pipelines/hello.yaml --connection local && portolan dev --stop'],
  async run({ options, cwd, terminal, signal }) {
    if (options.stop || options.reset) {
      const { resetDev, stopDev } = await import('../../dev/detach.ts');
      if (options.reset) {
        const removed = (await resetDev(cwd)).map((path) => relative(cwd, path));
        if (options.json) terminal.document('reset', { removed });
        else terminal.out(removed.length === 0 ? 'nothing to remove\n' : removed.map((path) => `removed ${path}\n`).join(''));
      } else {
        const stopped = await stopDev(cwd);
        if (options.json) terminal.document('stopped', { stopped });
        else terminal.out(stopped ? 'stopped\n' : 'portolan dev does not run here\n');
      }
      return exit.done;
    }
    const ports = {
      temporal: port('temporal-port', options['temporal-port']),
      ui: port('ui-port', options['ui-port']),
      service: port('service-port', options['service-port']),
    };
    const temporalSource = oneOf('temporal-source', options['temporal-source'], temporalSources);
    const embedding = oneOf('embedding', options.embedding, embeddings);
    await agentsEndpoint(cwd, options.agents);
    const settings = {
      cwd,
      ...(options.agents !== undefined && { agents: resolve(cwd, options.agents) }),
      ports: Object.fromEntries(Object.entries(ports).filter(([, value]) => value !== undefined)),
      ...(temporalSource && { temporalSource }),
      ...(embedding && { embedding }),
      ...(options.control && { control: true }),
      ...(options['no-worker'] && { worker: false }),
    };
    const ready = (file: DevFile): void => {
      if (options.json) terminal.document('dev', file);
      else show(terminal, cwd, file);
    };
    if (options.detach) {
      const { startDetached } = await import('../../dev/detach.ts');
      ready(await startDetached(settings));
      if (!options.json) terminal.out('ready; it goes on in the background, portolan dev --stop ends it\n');
      return exit.done;
    }
    const { startDev } = await import('../../dev/supervisor.ts');
    const paint = createPaint(terminal.error.color);
    const running = await startDev({ ...settings, report: (line) => terminal.err(`${paint.dim(line)}\n`) });
    ready(running.file());
    if (!options.json) terminal.out('ready; Ctrl-C stops in order\n');
    await new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
    terminal.err('stopping: worker, service, server\n');
    await running.stop();
    return exit.done;
  },
});
