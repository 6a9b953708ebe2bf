import { identifier } from '../../text/sql.ts';
import { fileTypeNames, type ColumnFacts, type Preview } from '../../child/preview.ts';
import { fit, padEnd, type Paint } from './paint.ts';
import { cells } from '../../text/cells.ts';
import { plain } from '../../text/controls.ts';
import { columnChoices, yamlName, yamlSql } from './column-choice.ts';
import { sampleLines } from './sample.ts';
import { bytes, counted, number } from '../../text/units.ts';
import { wrap } from '../frame/wrap.ts';

export type PreviewLook = {
  /** The file as it was named. */
  title: string;
  /** Width of the terminal. */
  columns: number;
  paint: Paint;
};

const gap = '  ';

/** A character as it is written in a dialect. */
const shown = (character: string): string =>
  character === '' ? 'none' : character === '\t' ? 'tab' : character === ' ' ? 'space' : character;

const filesBefore = (first: string | undefined, more: readonly string[]): string =>
  `${first}${more.length > 0 ? ` and ${more.length} more` : ''}: `;

function dialectLines({ dialects }: Preview, width: number): string[] {
  return dialects.flatMap((dialect) => {
    const facts = [
      `delimiter ${shown(dialect.delimiter)}`,
      `quote ${shown(dialect.quote)}`,
      `escape ${shown(dialect.escape)}`,
      dialect.header ? 'header in the first line' : 'no header',
      `lines end in ${shown(dialect.newline)}`,
      dialect.encoding,
      ...(dialect.skip > 0 ? [`${counted(dialect.skip, 'line')} skipped`] : []),
      ...(dialect.nulls.length > 0 ? [`no value: ${dialect.nulls.map((word) => JSON.stringify(word)).join(', ')}`] : []),
      ...(dialect.decimal === ',' ? ['decimals behind a comma'] : []),
    ];
    const [first, ...more] = dialect.files;
    const where = dialects.length > 1 ? filesBefore(first, more) : '';
    return wrap(`${where}${facts.join(' · ')}`, width - 2).map((line) => `  ${line}`);
  });
}

function sheetLines({ sheets }: Preview, width: number): string[] {
  return sheets.flatMap(({ sheet, header, others, files: [first, ...more] }) => {
    const facts = [
      `sheet ${sheet}`,
      header === null ? 'columns by their letters' : `header in row ${header}`,
      ...(others.length > 0 ? [`not read: ${others.join(', ')}`] : []),
    ];
    const where = sheets.length > 1 ? filesBefore(first, more) : '';
    return wrap(plain(`${where}${facts.join(' · ')}`), width - 2).map((line) => `  ${line}`);
  });
}

/** What was taken for granted of the texts of CSV files, and what was not. */
function textLines({ formats, hints }: Preview, width: number): string[] {
  const lines = [
    ...formats.map(({ column, format }) => `${column} is read as ${format}: every value of it is that, and no other way fits all`),
    ...hints.map(({ column, message }) => `${column}: ${message}`),
  ];
  return lines.flatMap((line) => wrap(plain(line), width - 2).map((part) => `  ${part}`));
}

/** Wider in the file than in a dataset. */
const wide = /^(BIGINT|HUGEINT|UINTEGER|UBIGINT|UHUGEINT|BIGNUM|VARINT)$/;

/** What becomes of a column, in a sentence or two. */
function fate(column: ColumnFacts, rows: number): string {
  const { name, type, as, width, nulls, refused, changed, problem } = column;
  const said: string[] = [];
  if (problem) said.push(`refused: ${problem}`);
  if (as === 'vector') said.push(`own vectors of ${width} numbers`);
  if (refused > 0) {
    const one = refused === 1;
    const what = as === 'vector' ? (one ? 'is no such vector' : 'are no such vectors') : `${one ? 'does' : 'do'} not fit ${as}`;
    said.push(`${number(refused)} of ${number(rows)} ${what}: ${one ? 'its row is' : 'their rows are'} refused`);
    if (as === 'int32') said.push(`to keep ${one ? 'it' : 'them'}: ${identifier(name)}::varchar`);
  }
  if (rows > 0 && refused === 0 && as === 'int32' && wide.test(type)) said.push('all fit');
  if (as === 'string' && changed > 0) said.push(`${number(changed)} empty or null: the text 'null'`);
  if (as === 'float32' && changed > 0) said.push(`${counted(changed, 'whole number')} beyond 16,777,216 rounded`);
  else if (as === 'float32' && type !== 'FLOAT') said.push('rounded to 7 digits');
  if (as === 'timestamp') said.push(changed > 0 ? `${number(changed)} cut to the millisecond` : type === 'DATE' ? 'midnight UTC' : '');
  if (as !== 'string' && as !== 'vector' && nulls > 0) said.push(`${number(nulls)} null`);
  return plain(said.filter(Boolean).join('; '));
}

function columnLines({ columns, rows }: Preview, { columns: width, paint }: PreviewLook): string[] {
  const names = columns.map(({ name }) => fit(plain(name), 28));
  const types = columns.map(({ type }) => fit(plain(type), 20));
  const targets = columns.map(({ as, width: size }) => (as === 'vector' ? `vector[${size}]` : (as ?? 'none')));
  const head = ['column', 'in the file', 'in a dataset'];
  const widths = [names, types, targets].map((column, at) => Math.max(head[at]!.length, ...column.map(cells)));
  const before = widths.reduce((sum, each) => sum + each + gap.length, gap.length);
  // On a narrow terminal the sentence goes below.
  const beside = width - before >= 24;
  const row = (texts: string[]): string => gap + texts.map((cell, at) => padEnd(cell, widths[at]!)).join(gap);
  return [
    paint.dim(row(head)),
    ...columns.flatMap((column, at) => {
      const bad = column.as === null || column.refused > 0;
      const target = column.as === null ? paint.red(targets[at]!) : targets[at]!;
      const facts = row([names[at]!, types[at]!, target]);
      const text = fate(column, rows);
      if (text === '') return [facts.trimEnd()];
      const colour = bad ? paint.yellow : paint.dim;
      const lines = wrap(text, beside ? width - before : Math.max(20, width - 6));
      if (!beside) return [facts.trimEnd(), ...lines.map((line) => `      ${colour(line)}`)];
      return lines.map((line, place) => (place === 0 ? facts + gap : ' '.repeat(before)) + colour(line));
    }),
  ];
}

/** What to write so that nothing is refused for its type or name; nothing where all is well. */
function remedyLines({ columns }: Preview, { paint, columns: width }: PreviewLook): string[] {
  const bad = columns.filter(({ as, remedy }) => as === null && remedy !== undefined);
  if (bad.length === 0 || columns.length > 60) return [];
  return [
    '',
    'columns that a dataset takes; leave out what is not needed',
    paint.cyan('  columns:'),
    ...columnChoices(columns).map(({ name, from, column: { as, produces = [] } }) => {
      const line = paint.cyan(plain(`    ${yamlName(name)}: ${as === null ? yamlSql(from) : yamlName(from)}`));
      return produces.length === 0 ? line : `${line}${paint.dim(fit(plain(`   # makes ${produces.join(' and ')}`), width - cells(line)))}`;
    }),
  ];
}

/** One line that shows how names that are more than letters, digits and underscores stand in expressions. */
function quotingLines({ columns }: Preview, width: number): string[] {
  const odd = columns.filter(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (odd.length === 0) return [];
  const [first] = odd.map(({ name }) => identifier(plain(name)));
  return [
    '',
    ...wrap(
      `in expressions such names stand in double quotes: ${first}${odd.length > 1 ? ` and ${number(odd.length - 1)} more` : ''}`,
      width,
    ),
  ];
}

/** A table as a person wants to see it before it is sent: type, size, columns with their fates, first rows. */
export function renderPreview(found: Preview, look: PreviewLook): string {
  const { paint, title, columns: width } = look;
  const files = found.tables.reduce((sum, table) => sum + table.files, 0);
  const types = [...new Set(found.tables.map(({ type }) => fileTypeNames[type]))].join(', ');
  const refusedColumns = found.columns.filter(({ as }) => as === null).length;
  const head = [
    types,
    ...(files > 1 ? [counted(files, 'file')] : []),
    bytes(found.bytes),
    counted(found.rows, 'row'),
    counted(found.columns.length, 'column'),
  ];
  const verdict = [
    ...(found.rows === 0 ? ['a table without rows: a run refuses it'] : []),
    ...(refusedColumns > 0 ? [`${counted(refusedColumns, 'column')} refused as ${refusedColumns === 1 ? 'it is' : 'they are'}`] : []),
    ...(found.refusedRows > 0 ? [`${number(found.refusedRows)} of ${counted(found.rows, 'row')} refused for a value`] : []),
  ];
  const facts = head.join(' · ');
  return [
    ...(cells(plain(title)) + gap.length + facts.length > width
      ? [paint.bold(plain(title)), `${gap}${facts}`]
      : [`${paint.bold(plain(title))}${gap}${facts}`]),
    ...dialectLines(found, width),
    ...sheetLines(found, width),
    ...textLines(found, width),
    '',
    ...columnLines(found, look),
    ...(verdict.length > 0 ? ['', ...wrap(`! ${verdict.join('; ')}`, width).map(paint.yellow)] : []),
    ...remedyLines(found, look),
    ...quotingLines(found, width),
    ...sampleLines(found, look),
    '',
  ].join('\n');
}
