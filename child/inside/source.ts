import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { isQuery, optionsOf, pathOf, tablesOf } from '../../pipelines/source-name.ts';
import type { FileOptions, FileSpec, SourceSpec } from '../../pipelines/source-spec.ts';
import type { ChildContext, ChildSettings } from '../protocol.ts';
import { judged, linkNames } from './duck-error.ts';
import { openEngine, type Engine } from './engine.ts';
import { checkPrint } from './file-print.ts';
import { fileHead } from './formats/file-head.ts';
import { fingerprint } from './fingerprint.ts';
import { fileType } from './formats/file-type.ts';
import { fileTypeNames, type FileType } from '../preview.ts';
import type { IdColumns } from '../id-columns.ts';
import { linkFile } from './link-file.ts';
import { describe, openers, type LinkedFile, type OpenTable } from './open-table.ts';
import type { SourceColumn } from './source-column.ts';
import { expandPath, subjectOf, type SourceFile } from '../source-files.ts';
import { createSqlCheck, embeddedQuery } from './sql/check-statement.ts';
import { identifier } from '../../text/sql.ts';
import { BadInput } from '../../errors/classes.ts';
import { plainFile, type Making } from './packed/plain-file.ts';
import type { FilePrint } from '../tables.ts';

/** A table of a source: its files, all of one type. */
export type SourceTable = { table: string; type: FileType; files: SourceFile[] } & Pick<
  OpenTable,
  'csv' | 'sheets' | 'hints' | 'lookAtNumbers'
>;

export type Source = AsyncDisposable & {
  /** File name, pattern or `sql`, for messages. */
  name: string;
  /** Bytes of all files. */
  bytes: number;
  engine: Engine;
  /** Mixed JSON columns are text already: this is what expressions see. */
  columns: SourceColumn[];
  /** A sub-select of exactly `columns`, in the order of the files, or of the query. */
  relation: string;
  tables: SourceTable[];
  /** Fingerprint of the files as they are now, which \`readSource\` holds to what they were. */
  sha256(): Promise<string>;
};

/** JSON values of mixed kinds become what they say: strings without quotes, everything else as its JSON text. */
const asPlain = ({ name, type }: SourceColumn): string =>
  type === 'JSON' ? `${identifier(name)} ->> '$' as ${identifier(name)}` : identifier(name);

const asText = (column: SourceColumn): SourceColumn => (column.type === 'JSON' ? { ...column, type: 'VARCHAR' } : column);

const subselect = (columns: SourceColumn[], relation: string): string => `(select ${columns.map(asPlain).join(', ')} from ${relation})`;

type FoundFile = SourceFile & LinkedFile & { print: FilePrint; plain: string };

type Found = { table: string; type: FileType; options: FileOptions; files: FoundFile[]; making: Making };

/** Options that are of one type of files. */
const ownOptions = [
  ['csv', 'csv'],
  ['excel', 'excel'],
] as const;

/** What of a source is read: `only` these files of a glob, by name; the values of `ids` as the texts that stand there. */
type Reading = { only?: readonly string[] | undefined; ids?: IdColumns };

type Finding = { tempDir: string; making: Making } & Pick<Reading, 'only'>;

/** The files behind a path or glob: there, not empty, and all of one type. */
async function find(table: string, spec: FileSpec, { tempDir, making, only }: Finding): Promise<Found> {
  const files: FoundFile[] = [];
  const options = optionsOf(spec);
  let type: FileType | undefined;
  for (const file of await expandPath(pathOf(spec))) {
    if (only && !only.includes(file.name)) continue;
    const seen = await fileHead(file.path);
    const plain = await plainFile(file.path, seen, { ...making, encoding: options.csv?.encoding }).catch(async (error: unknown) => {
      await checkPrint(seen.print);
      throw error;
    });
    const found = fileType(plain.head, plain.name);
    type ??= found;
    if (found !== type)
      throw new BadInput(
        'bad_input',
        `${file.name}: is ${fileTypeNames[found]}, but ${files[0]!.name} is ${fileTypeNames[type]}; all files of a pattern are of one type`,
      );
    // A neutral name: DuckDB would expand `*` and `[` in a path and guess compression from its ending.
    files.push({ ...file, print: seen.print, plain: plain.path, bytes: plain.bytes, link: join(tempDir, `source-${randomUUID()}`) });
  }
  for (const [option, wanted] of ownOptions)
    if (options[option] && type !== wanted)
      throw new BadInput(
        'bad_input',
        `${files[0]!.name}: is ${fileTypeNames[type!]} and not ${fileTypeNames[wanted]}; take ${option}: away`,
      );
  return { table, type: type!, files, options, making };
}

function checkColumns(name: string, columns: SourceColumn[]): void {
  if (columns.length === 0) throw new BadInput('bad_input', `${name}: has no columns`);
  if (columns.some((column) => column.name.includes('\0')))
    throw new BadInput('bad_input', `${name}: has a NUL character in a column name`);
}

/**
 * Opens a source and uses it. Its files are held to what they were before the first byte was read: where one changes
 * meanwhile, that is the verdict, whatever else went wrong with it.
 */
export async function readSource<T>(
  spec: SourceSpec,
  context: ChildContext,
  use: (source: Source) => Promise<T>,
  reading: Reading = {},
): Promise<T> {
  const folder = await mkdtemp(join(context.tempDir, 'plain-'));
  try {
    return await readFound(spec, await findAll(spec, context, folder, reading), { ...context, ids: reading.ids ?? [] }, use);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type OpenSettings = ChildSettings & { ids: IdColumns };

async function readFound<T>(
  spec: SourceSpec,
  found: readonly Found[],
  settings: OpenSettings,
  use: (source: Source) => Promise<T>,
): Promise<T> {
  const check = async (): Promise<void> => {
    for (const { files } of found) for (const { print } of files) await checkPrint(print);
  };
  try {
    await using source = await openSource(spec, found, settings);
    const result = await use(source);
    await check();
    return result;
  } catch (error) {
    await check();
    throw error;
  }
}

async function findAll(spec: SourceSpec, context: ChildContext, folder: string, { only }: Reading): Promise<Found[]> {
  const found: Found[] = [];
  const { tempDir, tempGiB } = context;
  const report = (bytes: number): void => context.unpacked(bytes);
  const making: Making = { folder, unpacked: { tempGiB, bytes: 0, reported: 0, report } };
  for (const [table, file] of tablesOf(spec)) found.push(await find(table, file, { tempDir, making, only }));
  return found;
}

/**
 * Opens a source in an engine that can read its files and nothing else. Fails with `BadInput` where a file is missing,
 * empty, not the type that its first bytes or its ending claim, or unlike the other files of its pattern, and where a
 * query is refused.
 */
async function openSource(spec: SourceSpec, found: readonly Found[], settings: OpenSettings): Promise<Source> {
  const name = subjectOf(spec);
  const files = found.flatMap((table) => table.files);
  let engine: Engine | undefined;
  const linked: string[] = [];
  const close = async (): Promise<void> => {
    await engine?.[Symbol.asyncDispose]();
    for (const { link } of files) linkNames.delete(link.slice(-43));
    await Promise.all(linked.map((link) => rm(link, { force: true })));
  };
  try {
    for (const { type, files: own } of found)
      for (const { plain, link, name: called } of own) {
        linked.push(link);
        await linkFile(plain, type, link);
        if (files.length > 1) linkNames.set(link.slice(-43), called);
      }
    engine = await openEngine({ files: linked, ...settings });
    if (isQuery(spec)) await refuse(spec, engine);
    const tables: SourceTable[] = [];
    const opened: OpenTable[] = [];
    for (const [made, { table, type, files: own, options, making }] of found.entries()) {
      const open = await judged(name, () => openers[type](own, { engine: engine!, made, options, making, ids: settings.ids }));
      checkColumns(table || name, open.columns);
      opened.push(open);
      tables.push({
        table,
        type,
        files: own.map(({ path, name: file }) => ({ path, name: file })),
        csv: open.csv,
        sheets: open.sheets,
        hints: open.hints,
        lookAtNumbers: open.lookAtNumbers,
      });
    }
    const { columns, relation } = isQuery(spec)
      ? await query(
          spec.sql,
          opened.map((open, at) => ({ ...open, table: tables[at]!.table })),
          engine,
        )
      : opened[0]!;
    return {
      name,
      bytes: files.reduce((sum, { print }) => sum + print.bytes, 0),
      engine,
      columns: columns.map(asText),
      relation: subselect(columns, relation),
      tables,
      sha256: () => fingerprint(tables, spec),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function refuse({ sql, tables }: Exclude<SourceSpec, FileSpec>, engine: Engine): Promise<void> {
  const check = await createSqlCheck(engine, Object.keys(tables));
  const refusal = await check(sql);
  if (refusal) throw new BadInput('refused_expression', `sql: ${refusal.message}`);
}

/** The result of a query that passed its check, over views that have the names of its tables. */
async function query(sql: string, tables: (OpenTable & { table: string })[], engine: Engine): Promise<OpenTable> {
  for (const { table, columns, relation } of tables)
    await engine.run(`create view main.${identifier(table)} as select * from ${subselect(columns, relation)}`);
  const relation = embeddedQuery(sql);
  const columns = await judged('sql', () => describe(engine, relation));
  checkColumns('sql', columns);
  return { relation, columns };
}
