import { open } from 'node:fs/promises';
import type { Engine } from '../../engine.ts';
import { identifier, literal } from '../../sql/quote.ts';
import { BadInput } from '../../../../errors/classes.ts';

// No line is skipped or taken for a comment: the sniffer would drop rows without a word.
const options = `sample_size = -1, skip = 0, comment = '', compression = 'none'`;

type Column = { name: string; type: string };

/** How a CSV file is written; a character that it has not is an empty text. */
export type CsvDialect = {
  delimiter: string;
  quote: string;
  escape: string;
  header: boolean;
  /** As DuckDB names it: `\\n` or `\\r\\n`. */
  newline: string;
  encoding: string;
  dateFormat: string;
  timestampFormat: string;
};

/** A CSV file as the sniffer sees it. */
export type SniffedCsv = { file: string; columns: Column[]; dialect: CsvDialect };

async function head(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(4_096);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead).toString('utf8');
  } finally {
    await handle.close();
  }
}

/** What the sniffer answers where there is no such character. */
const character = (value: unknown): string => (typeof value !== 'string' || value === '(empty)' || value === '\0' ? '' : value);

/** Dialect and types of one file, from the whole of it. */
export async function sniffCsv(file: string, engine: Engine): Promise<SniffedCsv> {
  const [row] = await engine.rows(`from sniff_csv(${literal(file)}, ${options})`);
  const { HasHeader: header, Columns: columns, ...said } = row as { HasHeader: boolean; Columns: Column[]; [name: string]: unknown };
  const start = await head(file);
  const firstLine = start
    .split(/\r?\n/, 1)[0]!
    .replace(/^\uFEFF/, '')
    .trim();
  // Ragged rows look to the sniffer like one column that holds the delimiters; a quoted name may hold them.
  if (columns.length === 1 && /[,;\t|]/.test(firstLine) && !/^"[^"]*"$/.test(firstLine))
    throw new BadInput('bad_input', 'rows have different numbers of columns');
  return {
    file,
    columns,
    dialect: {
      delimiter: character(said['Delimiter']),
      quote: character(said['Quote']),
      escape: character(said['Escape']),
      header,
      newline: character(said['NewLineDelimiter']),
      encoding: start.startsWith('\uFEFF') ? 'UTF-8 with BOM' : 'UTF-8',
      dateFormat: character(said['DateFormat']),
      timestampFormat: character(said['TimestampFormat']),
    },
  };
}

/**
 * SQL that reads CSV or TSV files, one after the other, each with the dialect that was sniffed from the whole of it.
 * A column keeps the type that all files give it; where they differ, whole and decimal numbers are decimal, and
 * everything else is its text. A file in which the column is empty has no say.
 */
export async function csvRelation(sniffed: readonly SniffedCsv[], engine: Engine): Promise<string> {
  const read = (files: readonly SniffedCsv[], types: ReadonlyMap<string, string>): string => {
    const forced = [...types].map(([name, type]) => `${identifier(name)}: ${literal(type)}`);
    const several = files.length > 1 ? ', union_by_name = true' : `, header = ${files[0]!.dialect.header}`;
    return `read_csv([${files.map(({ file }) => literal(file)).join(', ')}], ${options}${several}, hive_partitioning = false${forced.length === 0 ? '' : `, types = {${forced.join(', ')}}`})`;
  };
  const forced = new Map<string, string>();
  const floats: string[] = [];
  for (const { name } of sniffed[0]!.columns) {
    const typeIn = (file: SniffedCsv): string => file.columns.find((column) => column.name === name)!.type;
    let types = new Set(sniffed.map(typeIn));
    if (types.size > 1) {
      const speaking: string[] = [];
      for (const file of sniffed) if (!(await isEmpty(file, name))) speaking.push(typeIn(file));
      types = new Set(speaking);
      const numbers = [...types].every((type) => type === 'BIGINT' || type === 'DOUBLE');
      forced.set(name, types.size === 1 ? speaking[0]! : numbers && types.size > 0 ? 'DOUBLE' : 'VARCHAR');
    }
    if (types.has('DOUBLE') && (forced.get(name) ?? 'DOUBLE') === 'DOUBLE') floats.push(name);
  }
  if (floats.length > 0) {
    // Whole numbers beyond 64 bits are sniffed as floats, which would change the digits of a long id.
    const asText = new Map([...forced, ...floats.map((name) => [name, 'VARCHAR'] as const)]);
    const long = floats.map(
      (name, at) => `coalesce(bool_or(regexp_full_match(${identifier(name)}, '\\s*[-+]?[0-9]{16,}\\s*')), false) as c${at}`,
    );
    const [seen] = await engine.rows(`select ${long.join(', ')} from ${read(sniffed, asText)}`);
    floats.forEach((name, at) => seen![`c${at}`] === true && forced.set(name, 'VARCHAR'));
  }
  return read(sniffed, forced);

  async function isEmpty(file: SniffedCsv, name: string): Promise<boolean> {
    const [counted] = await engine.rows(
      `select count(nullif(${identifier(name)}, ''))::double as n from ${read([file], new Map(file.columns.map((column) => [column.name, 'VARCHAR'])))}`,
    );
    return counted!['n'] === 0;
  }
}
