import { DuckDBDataChunk, VARCHAR } from '@duckdb/node-api';
import type { ExcelOptions } from '../../../../pipelines/source-spec.ts';
import { identifier } from '../../../../text/sql.ts';
import type { SheetRead, TextHint } from '../../../preview.ts';
import type { Engine } from '../../engine.ts';
import { createTable, openAppender, type OwnAppender } from '../../own-table.ts';
import type { Making } from '../../packed/plain-file.ts';
import { addressOf } from './address.ts';
import { createCellReader } from './cell-value.ts';
import { countKind, cutDigitsOf, mixtureOf, noKinds, refuseCutIds, typeOfKinds } from './column-kinds.ts';
import { openPackage } from '../office/package.ts';
import { pickSheet } from './pick-sheet.ts';
import { sheetRows } from './sheet-rows.ts';
import { readTable, type TableHandlers, type TableRow } from './sheet-table.ts';
import { openStrings } from './strings.ts';
import { readStyles } from './styles.ts';
import { readWorkbook } from './workbook.ts';

/** Reads the table of one workbook to its end, and returns which sheet that was. */
export async function readWorkbookTable(
  file: { link: string; name: string },
  { sheet: wanted, skip = 0, header = true, nulls = [] }: ExcelOptions,
  making: Making,
  handlers: TableHandlers,
): Promise<SheetRead & { file: string }> {
  using parts = await openPackage(file.link, making.unpacked, 'workbook');
  const workbook = await readWorkbook(parts);
  const { name: sheet, part } = await pickSheet(parts, workbook, wanted);
  const styles = await readStyles(parts, workbook.styles);
  await using strings = await openStrings(parts, workbook.strings, making);
  const read = createCellReader({ sheet, workbook, strings, styles, nulls });
  const found: SheetRead = { sheet, header: null, others: workbook.sheets.map(({ name }) => name).filter((name) => name !== sheet) };
  await readTable(() => sheetRows(parts, part), { sheet, skip, header }, read, {
    ...handlers,
    async header(columns) {
      found.header = columns.header ?? null;
      await handlers.header(columns);
    },
  });
  return { ...found, file: file.name };
}

/** Rows and characters that are handed to the engine at once. */
const most = { rows: 2_048, characters: 2 * 1024 * 1024 };

/** Collects rows of texts, and appends them to a table of the engine. */
function createCollector(appender: OwnAppender, width: number): { add(values: (string | null)[], length: number): void; flush(): void } {
  const types = Array.from({ length: width }, () => VARCHAR);
  let rows: (string | null)[][] = [];
  let held = 0;
  const flush = (): void => {
    if (rows.length === 0) return;
    const chunk = DuckDBDataChunk.create(types, rows.length);
    chunk.setRows(rows);
    appender.append(chunk, held);
    [rows, held] = [[], 0];
  };
  return {
    add(values, length) {
      rows.push(values);
      held += length + values.length;
      if (rows.length === most.rows || held >= most.characters) flush();
    },
    flush,
  };
}

/** A table of texts of the engine, which takes the rows of workbooks that have the same columns, in any order. */
export type SheetTable = {
  /** Appends a row of a workbook; `places` says where the columns of its sheet are in the table. */
  append(row: TableRow, of: { sheet: string; places: readonly number[]; file: string }): void;
  close(): Promise<{ relation: string; hints: TextHint[] }>;
};

/** Makes the table; `fileColumn` is a further column of it. What its columns hold is known at the end. */
export async function createSheetTable(
  engine: Engine,
  table: string,
  names: readonly string[],
  fileColumn: string | undefined,
): Promise<SheetTable> {
  const columns = [...names, ...(fileColumn === undefined ? [] : [fileColumn])];
  await engine.run(
    createTable(
      table,
      columns.map((name) => ({ name, type: 'VARCHAR' })),
    ),
  );
  const appender = await openAppender(engine, table);
  const collector = createCollector(appender, columns.length);
  const kinds = names.map(noKinds);
  return {
    append({ row, cells, length }, { sheet, places, file }) {
      const texts = Array.from<string | null>({ length: columns.length }).fill(null);
      for (const { column, place, value } of cells) {
        const to = places[place]!;
        texts[to] = value.text;
        countKind(kinds[to]!, value, () => `${sheet}!${addressOf(column, row)}`);
      }
      if (fileColumn !== undefined) texts[names.length] = file;
      collector.add(texts, length);
    },
    async close() {
      collector.flush();
      appender.close();
      kinds.forEach(refuseCutIds);
      const items = names.map((name, at) => `${identifier(name)}::${typeOfKinds(kinds[at]!)} as ${identifier(name)}`);
      if (fileColumn !== undefined) items.push(identifier(fileColumn));
      return {
        relation: `(select ${items.join(', ')} from own.${identifier(table)})`,
        hints: names.flatMap((name, at) => mixtureOf(name, kinds[at]!) ?? cutDigitsOf(name, kinds[at]!) ?? []),
      };
    },
  };
}
