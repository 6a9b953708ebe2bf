import { loadConfig } from '../../config/load.ts';
import { forecast } from '../../pipelines/forecast/forecast.ts';
import { formatForecast } from '../../pipelines/forecast/format.ts';
import { compileFile } from '../start/compile-file.ts';
import { connectionSummaries } from '../project/connections.ts';
import { exit } from '../frame/exit.ts';
import { inspectHere } from '../start/inspect-sources.ts';
import { fileOptions } from '../start/file-options.ts';
import { lookAtDatasets } from '../start/look-at-datasets.ts';
import { connectionFacts } from '../start/connection-facts.ts';
import { connectionsLine } from '../render/connections.ts';
import { defineVerb } from '../frame/verb.ts';

export const plan = defineVerb({
  name: 'plan',
  summary: 'What a run would do: calls, shortest time, acts that cannot be taken back.',
  usage: 'FILE',
  details:
    'Changes nothing; reads ask whether the dataset is there and how many rows it has. Writing calls are exact for a new dataset whose source is a text file on this host, else an interval;\nreads and polls are an interval; estimates are marked.',
  options: {
    ...fileOptions,
    connection: { type: 'string', short: 'c', value: 'NAME', description: 'Connection of portolan.config.mts, or local.' },
    offline: { type: 'boolean', description: 'Do not ask the service whether the dataset is there.' },
    operations: { type: 'boolean', description: 'A line per operation, with its limit class.' },
    json: { type: 'boolean', description: 'The forecast and the compiled plan as one JSON object.' },
  },
  examples: ['portolan plan pipelines/ingest.yaml --connection local', 'portolan plan pipelines/ingest.yaml --connection prod --json'],
  async run(context) {
    const { args, options, terminal, cwd, signal } = context;
    const config = await loadConfig(cwd);
    const { plan: compiled, open, connections } = await compileFile(context, config, args[0]!, { offline: true });
    const sources = await inspectHere(compiled, signal);
    const found = forecast(compiled, open.steps, {
      source: (path) => sources.get(path),
      connection: connectionFacts(config),
      ...(options.offline ? {} : { datasets: await lookAtDatasets(compiled, open.steps, config) }),
    });
    if (options.json) {
      terminal.json({ ...found, connections, plan: compiled });
      return exit.done;
    }
    const known = connectionSummaries(config);
    const used = Object.values(connections);
    terminal.out(
      `${formatForecast(found, {
        connections: connectionsLine(connections, known) || 'no connection',
        hosted: known.some(({ name, hosted }) => hosted && used.includes(name)),
        operations: options.operations ?? false,
      })}\n`,
    );
    const away = compiled.sources.filter(({ path }) => !sources.has(path));
    for (const { step, field, path } of away)
      terminal.err(`steps.${step}.with.${field}: ${path} is not readable on this host: its rows are not known\n`);
    return exit.done;
  },
});
