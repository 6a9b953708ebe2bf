import { loadConfig } from '../../config/load.ts';
import { hasRemote } from '../../pipelines/source-name.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { createPaint } from '../render/paint.ts';
import { renderPreview } from '../render/preview.ts';
import { landHere } from '../start/land-here.ts';
import { lookForTable } from '../start/look-for-table.ts';
import { lendTables } from '../start/lent-tables.ts';
import { fileSpec, sourceOptions } from '../start/source-options.ts';
import { defineVerb } from '../frame/verb.ts';

const mostRows = 1_000;

export const preview = defineVerb({
  name: 'preview',
  summary: 'What a table holds, and what becomes of it in a dataset.',
  usage: 'FILE',
  details:
    'FILE is JSON, JSON lines, CSV, Parquet, Arrow or Excel (.xlsx), also packed (.gz, .zst), a quoted glob of such files, the address of one (https://, s3://), or a query of a database (--postgres): what is elsewhere is fetched into the run store. Reads the whole of it, changes nothing, and reaches no service.\nExit code: 0 shown, 1 not a table that can be read.',
  options: {
    rows: {
      type: 'string',
      value: 'N',
      description: `So many of the first rows (default 20, at most ${mostRows.toLocaleString('en-US')}).`,
    },
    ...sourceOptions,
    sql: { type: 'string', value: 'SELECT', description: 'A query over FILE, which it calls source.' },
    json: { type: 'boolean', description: 'All of it as one JSON object.' },
  },
  examples: [
    'portolan preview data/movies.json',
    'portolan preview https://data.example.com/movies.parquet',
    "portolan preview 's3://acme/2026/*.parquet'",
    "portolan preview 'select id, title from films' --postgres shop",
    "portolan preview 'data/flights-*.parquet' --rows 5",
    `portolan preview data/born.csv --csv '{ dateFormat: "%d/%m/%Y", nulls: [NA, "-"] }'`,
    `portolan preview data/films.xlsx --excel '{ sheet: Films, skip: 2 }'`,
    `portolan preview 'data/flights-*.parquet' --file-column file`,
    `portolan preview data/flights.csv --sql 'select origin, count(*) as n from source group by all order by n'`,
  ],
  async run({ args, options, terminal, cwd, signal }) {
    const rows = options.rows === undefined ? 20 : Number(options.rows);
    if (!Number.isInteger(rows) || rows < 0 || rows > mostRows)
      throw new UsageError(`--rows is a whole number from 0 to ${mostRows.toLocaleString('en-US')}, got '${options.rows}'`);
    const file = fileSpec(args[0]!, options, cwd);
    await lookForTable(file, cwd);
    const source = options.sql === undefined ? file : { sql: options.sql, tables: { source: file } };
    await using tables = lendTables({
      land: hasRemote(source) ? landHere(await loadConfig(cwd), { terminal, signal }) : undefined,
      signal,
    });
    const found = await (await tables.get()).preview(source, { rows, signal });
    if (options.json) terminal.document('preview', found);
    else terminal.out(renderPreview(found, { title: args[0]!, columns: terminal.size().columns, paint: createPaint(terminal.color) }));
    return exit.done;
  },
});
