import { stringify } from 'yaml';
import { BadInput } from '../../../../errors/classes.ts';
import { suggestion } from '../../../../text/nearest.ts';
import type { Package } from '../office/package.ts';
import { sheetRows } from './sheet-rows.ts';
import type { Sheet, Workbook } from './workbook.ts';

/** A sheet that has cells. */
export type TableSheet = { name: string; part: string };

const namesShown = 20;

/** What to write under `excel:` for a sheet. */
const option = (sheet: string): string => `excel: ${stringify({ sheet }, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`;

const list = (sheets: readonly Sheet[]): string =>
  `${sheets
    .slice(0, namesShown)
    .map(({ name, isVisible }) => (isVisible ? name : `${name} (hidden)`))
    .join(', ')}${sheets.length > namesShown ? ' …' : ''}`;

async function hasRows(parts: Package, part: string): Promise<boolean> {
  for await (const _ of sheetRows(parts, part)) return true;
  return false;
}

function named(name: string, { sheets }: Workbook): TableSheet {
  const found = sheets.find((sheet) => sheet.name === name);
  if (!found)
    throw new BadInput(
      'bad_input',
      `has no sheet '${name}'${suggestion(
        name,
        sheets.map((sheet) => sheet.name),
      )}`,
    );
  if (found.part === undefined)
    throw new BadInput('bad_input', `${name} is a chart or a dialog and no sheet with cells; there are ${list(sheets)}`);
  return { name, part: found.part };
}

/** The sheet that is asked for, else the only visible one that holds anything. Fails with `BadInput` where that is none, or several. */
export async function pickSheet(parts: Package, workbook: Workbook, name: string | undefined): Promise<TableSheet> {
  if (name !== undefined) return named(name, workbook);
  const filled: TableSheet[] = [];
  for (const { name: called, isVisible, part } of workbook.sheets)
    if (isVisible && part !== undefined && (await hasRows(parts, part))) filled.push({ name: called, part });
  const [only, second] = filled;
  if (!only)
    throw new BadInput(
      'bad_input',
      `none of its visible sheets has rows; hidden ones are read by their names: there are ${list(workbook.sheets)}`,
    );
  if (!second) return only;
  throw new BadInput(
    'bad_input',
    `several sheets have rows: ${filled
      .slice(0, namesShown)
      .map((each) => each.name)
      .join(', ')}; say which one: ${option(only.name)}`,
  );
}
