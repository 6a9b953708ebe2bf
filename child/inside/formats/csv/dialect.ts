import type { CsvOptions } from '../../../../pipelines/source-spec.ts';
import { BadInput } from '../../../../errors/classes.ts';
import type { Engine } from '../../engine.ts';
import { literal } from '../../../../text/sql.ts';
import { csvTrouble } from './trouble.ts';
import type { CsvDialect, TextHint } from '../../../preview.ts';
import { nameHints, titleAsHeader, titlesAbove, type Title } from './header-hints.ts';
import { behind, firstLineOf, guessOf, head, headBytes } from './head.ts';

/**
 * A CSV file as it is to be read: its dialect, the names of its columns in their order, the lines that its skipped records take
 * (`dialect.skip` counts records), and what may be meant otherwise.
 */
export type SniffedCsv = { file: CsvFile; names: string[]; dialect: CsvDialect; lines: number; hints: TextHint[] };

/** The neutral name under which the engine reads a file, and its own. */
type CsvFile = { link: string; name: string };

// No line is skipped or taken for a comment unless it is said: the sniffer would drop rows without a word.
const fixed = ({ skip = 0, nulls = [] }: Pick<CsvOptions, 'skip' | 'nulls'>): string =>
  `skip = ${skip}, comment = '', compression = 'none', nullstr = [${['', ...nulls].map(literal).join(', ')}]`;

/** What the sniffer gives where there is no such character. */
const character = (value: unknown): string => (typeof value !== 'string' || value === '(empty)' || value === '\0' ? '' : value);

type Sniffed = { Delimiter: string; Escape: string; NewLineDelimiter: string; HasHeader: boolean; Columns: { name: string }[] };

/** A file as the sniffer finds it, or what is wrong with it; with what may be titles above its table. */
type Sniff = { title: Title | undefined } & ({ sniffed: SniffedCsv; trouble?: undefined } | { sniffed?: undefined; trouble: string });

/** How one file is to be read, and what may be meant otherwise. Fails with `BadInput` where it is no table. */
export async function sniffCsv(file: CsvFile, options: CsvOptions, engine: Engine): Promise<SniffedCsv> {
  const { title, trouble, sniffed } = await sniff(file, options, engine);
  const hint = title && (await followed(title, file, options, engine));
  if (!sniffed) throw new BadInput('bad_input', hint === undefined ? trouble : `${trouble}; ${hint}`);
  return hint === undefined ? sniffed : { ...sniffed, hints: [{ column: sniffed.names[0]!, message: hint }] };
}

/**
 * Dialect and column names of one file. Quotes are double quotes unless the pipeline's file says otherwise: the sniffer
 * would read a file that is cut within a quoted value with its quotes as text.
 */
async function sniff(file: CsvFile, options: CsvOptions, engine: Engine): Promise<Sniff> {
  const quote = options.quote ?? '"';
  const said = [
    `quote = ${literal(quote)}`,
    ...(options.delimiter === undefined ? [] : [`delim = ${literal(options.delimiter)}`]),
    ...(options.escape === undefined ? [] : [`escape = ${literal(options.escape)}`]),
    ...(options.header === undefined ? [] : [`header = ${options.header}`]),
  ];
  const start = await head(file.link);
  const skipped = behind(start, options.skip ?? 0, { quote, escape: options.escape, delimiter: options.delimiter });
  const rest = skipped.text.replace(/^\uFEFF/, '');
  // The engine takes a blank line that follows those for a header without names.
  const blank = options.skip === undefined ? '' : /^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(rest)![0];
  const table = rest.slice(blank.length);
  const blanks = (blank.match(/\r\n|\r|\n/g) ?? []).length;
  const skip = (options.skip ?? 0) + blanks;
  const lines = skipped.lines + blanks;
  const encoding = options.encoding ?? (start.startsWith('\uFEFF') ? 'UTF-8 with BOM' : 'UTF-8');
  const found = await engine.rows(`from sniff_csv(${literal(file.link)}, ${fixed({ ...options, skip })}, ${said.join(', ')})`).then(
    ([row]) => row as Sniffed,
    () => undefined,
  );
  const firstLine = firstLineOf(table);
  const guess = options.delimiter ?? guessOf(firstLine);
  // Ragged rows look to the sniffer like one column that holds the delimiters; a quoted name may hold them.
  const unlikely = found?.Columns.length === 1 && guess !== undefined && firstLine.includes(guess) && !/^"[^"]*"$/.test(firstLine.trim());
  const isWhole = Buffer.byteLength(start) < headBytes;
  const top = { text: table, skipped: { records: skip, lines }, isWhole };
  const above = options.header === undefined ? titlesAbove(top, quote) : undefined;
  if (!found || unlikely) {
    const trouble = await csvTrouble(file.link, { delimiter: guess ?? ',', quote, skip: lines });
    if (trouble !== undefined) return { trouble, title: above };
    // The engine, left to find the delimiter below what it skips, takes some tables for one column.
    if (options.delimiter === undefined && guess !== undefined) return sniff(file, { ...options, delimiter: guess }, engine);
    throw new BadInput('bad_input', 'is not a CSV table: its delimiter cannot be found; say it under csv: { delimiter }');
  }
  if (found.HasHeader && options.header === undefined && isWhole && firstLine === table.trimEnd())
    throw new BadInput('bad_input', 'has a header and no rows; where its only line is a row, say so under csv: { header: false }');
  const names = found.Columns.map(({ name }) => name);
  const delimiter = character(found.Delimiter);
  const asHeader = found.HasHeader ? titleAsHeader(top, { delimiter, quote }) : undefined;
  const title = names.length === 1 ? above : asHeader;
  const hints = found.HasHeader ? nameHints(top, names, { delimiter, quote }) : [];
  const sniffed: SniffedCsv = {
    file,
    names,
    hints,
    lines,
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
  return { sniffed, title };
}

/** What to say of a title: undefined where the engine, given that advice, would not have what stands below it first. */
async function followed(title: Title, file: CsvFile, options: CsvOptions, engine: Engine): Promise<string | undefined> {
  for (const skip of title.skips) {
    const first = await firstRead(file, { ...options, skip }, engine).catch(() => []);
    if (first.length !== title.below.length) continue;
    // A name that is there twice gets a number.
    if (first.every((value, at) => typeof value !== 'string' || value.trim().startsWith(title.below[at]!.trim()))) return title.say(skip);
  }
  return undefined;
}

/** The names of the columns, or the values of the first row where there are none. */
async function firstRead(file: CsvFile, options: CsvOptions, engine: Engine): Promise<unknown[]> {
  const { sniffed } = await sniff(file, options, engine);
  if (!sniffed || sniffed.dialect.header) return sniffed?.names ?? [];
  return Object.values((await engine.rows(`from ${readTexts([sniffed])} limit 1`))[0] ?? {});
}

/** SQL that reads files of one dialect, every column as its text. */
export function readTexts(files: readonly SniffedCsv[]): string {
  const { dialect, names } = files[0]!;
  const columns = names.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  const characters = `delim = ${literal(dialect.delimiter)}, quote = ${literal(dialect.quote)}, escape = ${literal(dialect.escape)}`;
  return `read_csv([${files.map(({ file }) => literal(file.link)).join(', ')}], auto_detect = false, ${fixed(dialect)}, ${characters}, header = ${dialect.header}, columns = {${columns}}, hive_partitioning = false)`;
}
