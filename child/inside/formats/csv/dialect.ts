import { open } from 'node:fs/promises';
import type { CsvOptions } from '../../../../pipelines/source-spec.ts';
import { BadInput } from '../../../../errors/classes.ts';
import type { Engine } from '../../engine.ts';
import { literal } from '../../../../text/sql.ts';
import { csvTrouble } from './trouble.ts';
import type { CsvDialect, TextHint } from '../../../preview.ts';
import { nameHints, titleHint } from './header-hints.ts';

/** A CSV file as it is to be read: its dialect, the names of its columns in their order, and what may be meant otherwise. */
export type SniffedCsv = { file: CsvFile; names: string[]; dialect: CsvDialect; hints: TextHint[] };

/** The neutral name under which the engine reads a file, and its own. */
type CsvFile = { link: string; name: string };

// No line is skipped or taken for a comment unless it is said: the sniffer would drop rows without a word.
const fixed = ({ skip = 0, nulls = [] }: Pick<CsvOptions, 'skip' | 'nulls'>): string =>
  `skip = ${skip}, comment = '', compression = 'none', nullstr = [${['', ...nulls].map(literal).join(', ')}]`;

const delimiters = [',', ';', '\t', '|'];

const headBytes = 65_536;

async function head(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(headBytes);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** A text without its first lines. */
function behind(text: string, lines: number): string {
  const end = /\r\n|\r|\n/g;
  for (let line = 0; line < lines; line++) if (!end.test(text)) return '';
  return text.slice(end.lastIndex);
}

/** What the sniffer gives where there is no such character. */
const character = (value: unknown): string => (typeof value !== 'string' || value === '(empty)' || value === '\0' ? '' : value);

type Sniffed = { Delimiter: string; Escape: string; NewLineDelimiter: string; HasHeader: boolean; Columns: { name: string }[] };

/**
 * Dialect and column names of one file. Quotes are double quotes unless the pipeline's file says otherwise: the sniffer
 * would read a file that is cut within a quoted value with its quotes as text.
 */
export async function sniffCsv(file: CsvFile, options: CsvOptions, engine: Engine): Promise<SniffedCsv> {
  const quote = options.quote ?? '"';
  const said = [
    `quote = ${literal(quote)}`,
    ...(options.delimiter === undefined ? [] : [`delim = ${literal(options.delimiter)}`]),
    ...(options.escape === undefined ? [] : [`escape = ${literal(options.escape)}`]),
    ...(options.header === undefined ? [] : [`header = ${options.header}`]),
  ];
  const start = await head(file.link);
  const rest = behind(start.replace(/^\uFEFF/, ''), options.skip ?? 0);
  // The engine takes a blank line that follows those for a header without names.
  const blank = options.skip === undefined ? '' : /^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(rest)![0];
  const table = rest.slice(blank.length);
  const skip = (options.skip ?? 0) + (blank.match(/\r\n|\r|\n/g) ?? []).length;
  const encoding = options.encoding ?? (start.startsWith('\uFEFF') ? 'UTF-8 with BOM' : 'UTF-8');
  const found = await engine.rows(`from sniff_csv(${literal(file.link)}, ${fixed({ ...options, skip })}, ${said.join(', ')})`).then(
    ([row]) => row as Sniffed,
    () => undefined,
  );
  const [firstLine = ''] = table.split(/\r?\n|\r/, 1);
  const guess = options.delimiter ?? guessOf(firstLine);
  // Ragged rows look to the sniffer like one column that holds the delimiters; a quoted name may hold them.
  const unlikely = found?.Columns.length === 1 && guess !== undefined && firstLine.includes(guess) && !/^"[^"]*"$/.test(firstLine.trim());
  const isWhole = Buffer.byteLength(start) < headBytes;
  const top = { text: table, skipped: skip, isWhole };
  const title = options.header === undefined ? titleHint(top, quote) : undefined;
  if (!found || unlikely) {
    const trouble = await csvTrouble(file.link, { delimiter: guess ?? ',', quote, skip });
    if (trouble && title) throw new BadInput('bad_input', `${trouble}; ${title}`);
    throw new BadInput('bad_input', trouble ?? 'is not a CSV table: its delimiter cannot be found; say it under csv: { delimiter }');
  }
  if (found.HasHeader && options.header === undefined && isWhole && firstLine === table.trimEnd())
    throw new BadInput('bad_input', 'has a header and no rows; where its only line is a row, say so under csv: { header: false }');
  const names = found.Columns.map(({ name }) => name);
  const delimiter = character(found.Delimiter);
  const hints = found.HasHeader ? nameHints(top, names, { delimiter, quote }) : [];
  return {
    file,
    names,
    hints: title !== undefined && names.length === 1 ? [{ column: names[0]!, message: title }] : hints,
    dialect: {
      delimiter,
      quote,
      escape: options.escape ?? (character(found.Escape) || quote),
      header: found.HasHeader,
      newline: character(found.NewLineDelimiter),
      encoding,
      skip,
      nulls: options.nulls ?? [],
      decimal: options.decimal ?? '.',
    },
  };
}

/** The delimiter that stands most often in the first line, outside of quotes; undefined where none does. */
function guessOf(firstLine: string): string | undefined {
  const bare = firstLine.replace(/"[^"]*"/g, '');
  const counted = delimiters.map((each) => ({ each, count: bare.split(each).length - 1 }));
  const best = counted.reduce((a, b) => (b.count > a.count ? b : a));
  return best.count > 0 ? best.each : undefined;
}

/** SQL that reads files of one dialect, every column as its text. */
export function readTexts(files: readonly SniffedCsv[]): string {
  const { dialect, names } = files[0]!;
  const columns = names.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  const characters = `delim = ${literal(dialect.delimiter)}, quote = ${literal(dialect.quote)}, escape = ${literal(dialect.escape)}`;
  return `read_csv([${files.map(({ file }) => literal(file.link)).join(', ')}], auto_detect = false, ${fixed(dialect)}, ${characters}, header = ${dialect.header}, columns = {${columns}}, hive_partitioning = false)`;
}
