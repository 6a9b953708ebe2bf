import { BadInput } from '../../../errors/classes.ts';
import type { CsvOptions } from '../../../pipelines/source-spec.ts';
import { suggestion } from '../../../text/nearest.ts';
import { identifier } from '../../../text/sql.ts';
import type { Engine } from '../engine.ts';
import { typeCandidates, type Candidate } from './text-candidates.ts';

const columnsShown = 20;
const longestShown = 60;

/** `1,5` and `1.234,56`. */
const commaDecimals = /^\s*[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+\s*$/;

/** What the columns whose types are said are read as, by name; text has no candidates. Fails with `BadInput` where there is no such column. */
export function saidTypes(columns: readonly string[], options: CsvOptions): Map<string, readonly Candidate[]> {
  return new Map(
    Object.entries(options.types ?? {}).map(([name, type]) => {
      if (!columns.includes(name))
        throw new BadInput(
          'bad_input',
          `csv.types: there is no column '${name}'${suggestion(name, columns)}; it has ${columns.slice(0, columnsShown).join(', ')}`,
        );
      return [name, type === 'VARCHAR' ? [] : typeCandidates(type, options)];
    }),
  );
}

type Said = { name: string; wanted: readonly Candidate[]; fit: readonly Candidate[]; options: CsvOptions };

/** Refuses a table where a column is not what it is said to be, with the first value that is none; and dates that can be read in two ways. */
export async function refuseUnfit(engine: Engine, relation: string, { name, wanted, fit, options }: Said): Promise<void> {
  const [first, second] = fit;
  if (wanted.length === 0) return;
  const type = options.types![name]!;
  const formatField = type === 'DATE' ? 'dateFormat' : 'timestampFormat';
  if (first?.format !== undefined && second?.format !== undefined && options[formatField] !== first.format)
    throw new BadInput(
      'bad_input',
      `column '${name}': nothing says whether day or month comes first; say csv: { ${formatField}: '${first.format}' } or '${second.format}'`,
    );
  if (first) return;
  const text = identifier(name);
  const [odd] = await engine.rows(
    `select row, value from (select row_number() over () as row, ${text} as value from ${relation})
     where value is not null and not (${wanted.map(({ fits }) => `(${fits('value')})`).join(' or ')}) limit 1`,
  );
  if (!odd) throw new BadInput('bad_input', `column '${name}': its values are ${type} in more than one way; write them alike`);
  const value = String(odd['value']);
  const shown = value.length > longestShown ? `${value.slice(0, longestShown)} …` : value;
  const remedy =
    type === 'DOUBLE' && commaDecimals.test(value) && options.decimal === undefined
      ? 'where its comma stands before the decimals, say csv: { decimal: "," }'
      : `where it stands for no value, say csv: { nulls: [${JSON.stringify(shown)}] }`;
  throw new BadInput('bad_input', `column '${name}': row ${String(odd['row'])} has "${shown}", which is no ${type}; ${remedy}`);
}
