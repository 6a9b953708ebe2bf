import { readFile } from 'node:fs/promises';
import type { FileOptions } from '../../pipelines/source-spec.ts';
import { sniffCsv, type SniffedCsv } from './formats/csv/dialect.ts';
import type { CsvDialect, TextHint, FileType, SheetRead } from '../preview.ts';
import { csvRelation } from './formats/csv/source.ts';
import type { SheetTable } from './formats/excel/source.ts';
import { findNul } from './formats/csv/nul.ts';
import { csvTrouble } from './formats/csv/trouble.ts';
import { sameNumbers } from './formats/same-numbers.ts';
import type { TextType } from './formats/texts.ts';
import { duckMessage, judged } from './duck-error.ts';
import { checkFileColumn, withFileColumn } from './file-column.ts';
import type { Engine } from './engine.ts';
import { checkJson } from './formats/json/check.ts';
import { createNameCheck } from './formats/json/names.ts';
import { jsonTrouble } from './formats/json/trouble.ts';
import { detectJson, jsonRelation } from './formats/json/source.ts';
import { createTable } from './own-table.ts';
import type { Making } from './packed/plain-file.ts';
import { checkParquet } from './formats/parquet/check.ts';
import type { IdColumns } from '../id-columns.ts';
import type { SourceColumn } from './source-column.ts';
import { identifier, literal } from '../../text/sql.ts';
import { BadInput } from '../../errors/classes.ts';

/** One file of a table: the neutral name under which the engine may read it, and its own. */
export type LinkedFile = { link: string; name: string; bytes: number };

export type OpenTable = {
  /** What SQL reads the rows from, in the order of the files. */
  relation: string;
  columns: SourceColumn[];
  /** How CSV files are read: the dialect of each, and formats of dates that are not ISO 8601. */
  csv?: { dialects: (CsvDialect & { file: string })[]; formats: TextType[] } | undefined;
  /** Which sheet of each workbook is read. */
  sheets?: (SheetRead & { file: string })[] | undefined;
  /** Columns that stay text and could be read otherwise. */
  hints?: TextHint[] | undefined;
  /** Columns of numbers that may be meant otherwise: each look is a reading of the table. */
  lookAtNumbers?: (() => Promise<TextHint[]>) | undefined;
};

/** Where a table is opened: `made` is its number among those of the request. */
type Opening = { engine: Engine; made: number; options: FileOptions; making: Making; ids: IdColumns };

type Opener = (files: readonly LinkedFile[], opening: Opening) => Promise<OpenTable>;

export const describe = async (engine: Engine, relation: string): Promise<SourceColumn[]> =>
  (await engine.rows(`describe select * from ${relation}`)).map((row) => ({
    name: String(row['column_name']),
    type: String(row['column_type']),
  }));

const list = (files: readonly LinkedFile[]): string => `[${files.map(({ link }) => literal(link)).join(', ')}]`;

/** All files of a table have columns of the same names: the first one's. */
function checkSame(first: LinkedFile, columns: readonly { name: string }[], other: LinkedFile, others: readonly { name: string }[]): void {
  const names = new Set(columns.map(({ name }) => name));
  const theirs = new Set(others.map(({ name }) => name));
  const missing = columns.find(({ name }) => !theirs.has(name));
  if (missing)
    throw new BadInput(
      'bad_input',
      `${other.name}: has no column '${missing.name}', which ${first.name} has; all files of a pattern have the same columns`,
    );
  const extra = others.find(({ name }) => !names.has(name));
  if (extra)
    throw new BadInput(
      'bad_input',
      `${other.name}: has the column '${extra.name}', which ${first.name} has not; all files of a pattern have the same columns`,
    );
}

/** What the engine refuses of a JSON file, in words that name the place and what to do. */
async function jsonRefusal({ name, link, bytes }: LinkedFile, error: BadInput): Promise<BadInput> {
  const trouble = /Malformed JSON/.test(error.message) ? await jsonTrouble(link) : undefined;
  if (trouble !== undefined) return new BadInput('bad_input', `${name}: ${trouble}`);
  if (!/expected records/.test(error.message)) return error;
  const empty = bytes < 1024 && /^\s*(\[\s*\])?\s*$/.test(await readFile(link, 'utf8'));
  return new BadInput(
    'bad_input',
    empty ? `${name}: has no rows` : `${name}: not a JSON table; that is an array of objects, or one object a line`,
  );
}

const json: Opener = async (files, { engine, options: { fileColumn }, ids }) => {
  const checkName = createNameCheck();
  for (const file of files)
    await judged(file.name, async () => {
      await checkJson(file.link, checkName);
      // Each by itself: the reader of all of them does not say which one is no table.
      if (files.length > 1) await describe(engine, detectJson([file.link]));
    }).catch(async (error: unknown) => {
      throw error instanceof BadInput ? await jsonRefusal(file, error) : error;
    });
  const links = files.map(({ link }) => link);
  const detected = await describe(engine, detectJson(links)).catch(async (error: unknown) => {
    throw error instanceof Error && files.length === 1
      ? await jsonRefusal(files[0]!, new BadInput('bad_input', `${files[0]!.name}: ${duckMessage(error)}`))
      : error;
  });
  checkFileColumn(detected, fileColumn);
  const relation = await jsonRelation(links, detected, engine, {
    widened: (reader) => withFileColumn(reader, files, fileColumn),
    ids,
  });
  return { relation, columns: await describe(engine, relation) };
};

const named = (names: readonly string[]): { name: string }[] => names.map((name) => ({ name }));

const csv: Opener = async (files, { engine, options: { csv: options = {}, fileColumn }, ids }) => {
  const sniffed: SniffedCsv[] = [];
  for (const file of files) {
    const found = await findNul(file.link);
    if (found)
      throw new BadInput(
        'bad_input',
        `${file.name}: holds a NUL byte in line ${found.line}, which no text of a CSV file has: it is damaged there, or written as UTF-16; write it again, or say csv: { encoding: ${found.encoding} }`,
      );
    sniffed.push(await judged(file.name, () => sniffCsv(file, options, engine)));
  }
  sniffed.forEach(({ names }, at) => checkSame(files[0]!, named(sniffed[0]!.names), files[at]!, named(names)));
  checkFileColumn(named(sniffed[0]!.names), fileColumn);
  const { relation, texts, types, hints } = await csvRelation(sniffed, options, engine, { fileColumn, ids }).catch(
    async (error: unknown) => {
      // The engine says less of a line than a walk over the file does.
      for (const { file, dialect, lines } of sniffed) {
        const trouble = error instanceof BadInput ? undefined : await csvTrouble(file.link, { ...dialect, skip: lines });
        if (trouble) throw new BadInput('bad_input', `${file.name}: ${trouble}`);
      }
      throw error;
    },
  );
  // Files of one table are written alike: what is said of one of them is not said again.
  const ownHints = [...new Map(sniffed.flatMap((each) => each.hints).map((hint) => [JSON.stringify(hint), hint])).values()];
  const dialects = sniffed.map(({ file, dialect }) => ({ file: file.name, ...dialect }));
  const columns = await describe(engine, relation);
  const numbers = types.flatMap(({ name, sql }) => {
    const type = columns.find((column) => column.name === name)!.type;
    return ['BIGINT', 'DOUBLE'].includes(type) && options.types?.[name] === undefined ? [{ name, type, sql }] : [];
  });
  return {
    relation,
    columns,
    csv: { dialects, formats: types.filter(({ format }) => format !== undefined) },
    hints: [...ownHints, ...hints],
    lookAtNumbers: () => sameNumbers(engine, texts, numbers),
  };
};

const parquet: Opener = async (files, { engine, options: { fileColumn } }) => {
  const read = (some: readonly LinkedFile[]): string =>
    `read_parquet(${list(some)}, hive_partitioning = false${some.length > 1 ? ', union_by_name = true' : ''})`;
  const misread = new Map<string, string>();
  let first: SourceColumn[] | undefined;
  for (const file of files) {
    const found = await judged(file.name, () => checkParquet(file.link));
    if (files.length === 1 && found.length === 0) continue;
    const columns = await judged(file.name, () => describe(engine, read([file])));
    first ??= columns;
    checkSame(files[0]!, first, file, columns);
    for (const { place, because } of found) {
      const { name, type } = columns[place]!;
      misread.set(name, `error(${literal(`column '${name}' ${because}`)})::${type} as ${identifier(name)}`);
    }
  }
  if (fileColumn !== undefined) checkFileColumn(await describe(engine, read(files)), fileColumn);
  const reader = withFileColumn(read(files), files, fileColumn);
  // A query that leaves such a column out never comes to its error.
  const relation = misread.size === 0 ? reader : `(select * replace (${[...misread.values()].join(', ')}) from ${reader})`;
  return { relation, columns: await describe(engine, relation) };
};

const arrow =
  (type: 'arrow-file' | 'arrow-stream'): Opener =>
  async (files, { engine, made, options: { fileColumn } }) => {
    const { arrowColumns, appendArrow } = await import('./formats/arrow/source.ts');
    const columnsOf = [];
    for (const file of files) columnsOf.push(await judged(file.name, () => arrowColumns(file.link, type)));
    const first = columnsOf[0]!;
    columnsOf.forEach((columns, at) => checkSame(files[0]!, first, files[at]!, columns));
    // DuckDB says which type holds the values of all files.
    const union = columnsOf.map(
      (columns) => `select ${columns.map(({ name, type: held }) => `null::${held} as ${identifier(name)}`).join(', ')}`,
    );
    const distinct = [...new Set(union)];
    const values = distinct.length === 1 ? first : await describe(engine, `(${distinct.join(' union all by name ')})`);
    checkFileColumn(values, fileColumn);
    const unified = fileColumn === undefined ? values : [...values, { name: fileColumn, type: 'VARCHAR' }];
    const held = new Map(unified.map(({ name, type: of }) => [name, of]));
    const table = `arrow_${made}`;
    await engine.run(createTable(table, unified));
    for (const [at, file] of files.entries()) {
      const columns = columnsOf[at]!;
      const fits =
        columns.length === unified.length &&
        columns.every(({ name, type: of }, place) => unified[place]!.name === name && held.get(name) === of);
      await judged(file.name, async () => {
        if (fits) return appendArrow(file.link, type, engine, table);
        await engine.run(createTable(`${table}_part`, columns));
        await appendArrow(file.link, type, engine, `${table}_part`);
        const name = fileColumn === undefined ? '' : `, ${literal(file.name)} as ${identifier(fileColumn)}`;
        await engine.run(`insert into own.${table} by name select *${name} from own.${table}_part`);
        await engine.run(`drop table own.${table}_part`);
      });
    }
    return {
      relation: `own.${table}`,
      columns: unified,
    };
  };

const excel: Opener = async (files, { engine, made, options: { excel: options = {}, fileColumn }, making }) => {
  const { createSheetTable, readWorkbookTable } = await import('./formats/excel/source.ts');
  const sheets: NonNullable<OpenTable['sheets']> = [];
  let first: { table: SheetTable; names: string[] } | undefined;
  for (const file of files) {
    let of: Parameters<SheetTable['append']>[1];
    const found = await judged(file.name, () =>
      readWorkbookTable(file, options, making, {
        async header({ sheet, names }) {
          checkSame(files[0]!, named(first?.names ?? names), file, named(names));
          checkFileColumn(named(names), fileColumn);
          first ??= { table: await createSheetTable(engine, `excel_${made}`, names, fileColumn), names };
          of = { sheet, file: file.name, places: names.map((name) => first!.names.indexOf(name)) };
        },
        row: (row) => first!.table.append(row, of),
      }),
    );
    sheets.push(found);
  }
  const { relation, hints } = await first!.table.close();
  return { relation, columns: await describe(engine, relation), sheets, hints };
};

/** How the files of each type are opened as one table. */
export const openers: Record<FileType, Opener> = {
  json,
  csv,
  parquet,
  excel,
  'arrow-file': arrow('arrow-file'),
  'arrow-stream': arrow('arrow-stream'),
};
