import { loadConfig } from '../../config/load.ts';
import { missingFor } from '../start/check-missing.ts';
import { UsageError } from '../frame/errors.ts';
import { compareRun } from '../start/compare-run.ts';
import { compileFile } from '../start/compile-file.ts';
import { connectionSummaries } from '../project/connections.ts';
import { exit } from '../frame/exit.ts';
import { fileOptions } from '../start/file-options.ts';
import { forecastFile } from '../start/forecast-file.ts';
import { landHere } from '../start/land-here.ts';
import { lendTables } from '../start/lent-tables.ts';
import { connectionsLine } from '../render/connections.ts';
import { mistakesOf } from '../../pipelines/forecast/forecast.ts';
import { formatForecast } from '../render/forecast.ts';
import { lookOf } from '../render/look.ts';
import { sayNotAsked } from '../start/not-asked.ts';
import { defineVerb } from '../frame/verb.ts';

export const plan = defineVerb({
  name: 'plan',
  summary: 'What a run would do: calls, time, acts that cannot be taken back.',
  usage: '[FILE]',
  details:
    'Changes nothing; reads ask whether the dataset is there and how many rows it has, and tables are cut as the run will cut them. A service that cannot be asked is named with the reason, and the plan is by what is known without it. Numbers are bounds of a run in which nothing fails: exact, an interval, or unknown with the reason. A time is a bound only as ≥, under a published limit; any other is an estimate, with ≤ of all that may have to be done.\n--compare holds a run against its plan: what was planned of each operation, and what was sent; with FILE against the plan of that file as it is now.\nExit code: 0 planned, 2 invalid file, or one that needs a secret or package which this host lacks (run refuses both), or a step that fails for what it reads, whatever the run does before it.',
  options: {
    ...fileOptions,
    connection: { type: 'string', short: 'c', value: 'NAME', description: 'Connection of portolan.config.mts, or local.' },
    offline: { type: 'boolean', description: 'Do not ask the service whether the dataset is there.' },
    compare: { type: 'string', value: 'RUN', description: 'What was planned of a run, and what it sent, by step and operation.' },
    operations: { type: 'boolean', description: 'A line per operation, with its limit class.' },
    json: { type: 'boolean', description: 'The forecast and the compiled plan as one JSON object.' },
  },
  examples: [
    'portolan plan pipelines/ingest.yaml --connection local',
    'portolan plan pipelines/ingest.yaml --connection prod --json',
    'portolan plan --compare ingest-2026-11-21-a7f3c09b',
  ],
  async run(context) {
    const { args, options, terminal, cwd, signal } = context;
    if (options.compare !== undefined) return compareRun(context, options.compare);
    if (args[0] === undefined) throw new UsageError('plan needs FILE', 'or a run to look back at: portolan plan --compare RUN');
    const config = await loadConfig(cwd);
    await using tables = lendTables({ land: landHere(config, context), signal });
    const file = await compileFile(context, config, args[0], { offline: true, timed: true, tables });
    const { plan: compiled, connections } = file;
    const { forecast: found, unread, notAsked } = await forecastFile(file, config, { offline: options.offline ?? false, tables, signal });
    const missing = missingFor(file, config);
    const code = mistakesOf(found).length + missing.length > 0 || unread.some(({ fails }) => fails) ? exit.usage : exit.done;
    if (options.json) {
      terminal.document('plan', { ...found, missing, notAsked, connections, plan: compiled });
      return code;
    }
    for (const one of notAsked) terminal.err(sayNotAsked(one));
    const known = connectionSummaries(config);
    const used = Object.values(connections);
    terminal.out(
      `${formatForecast(found, {
        ...lookOf(terminal),
        connections: connectionsLine(connections, known) || 'no connection',
        hosted: known.some(({ name, hosted }) => hosted && used.includes(name)),
        operations: options.operations ?? false,
      })}\n`,
    );
    for (const { says, remedy } of missing) terminal.err(`${says}: a run is refused before it sends anything\n  ${remedy}\n`);
    for (const { step, field, path, because, fails } of unread)
      terminal.err(`steps.${step}.with.${field}: ${path}: ${because}: ${fails ? 'the step would fail' : 'its rows are not known'}\n`);
    return code;
  },
});
