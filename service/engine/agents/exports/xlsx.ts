import { strToU8, zipSync } from 'fflate';
import { escapeHtml } from '../../../../text/html.ts';
import type { Table } from '../artifacts.ts';

/** Equal tables give equal files. */
const zipped = (files: readonly { name: string; text: string }[]): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])), { mtime: new Date(1980, 0, 1) });

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** 0 → `A`, 26 → `AA`. */
const columnName = (at: number): string => (at < 26 ? '' : columnName(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));

/** What XML 1.0 cannot hold is left out. */
const xmlText = (text: string): string =>
  escapeHtml(text.replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, ''));

const cellOf = (value: unknown, at: number, row: number): string => {
  const place = `${columnName(at)}${row}`;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && Number.isFinite(value)) return `<c r="${place}"><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${xmlText(typeof value === 'string' ? value : JSON.stringify(value))}</t></is></c>`;
};

/** A TABLE as a workbook of one sheet: a header row, then its rows (ECMA-376). */
export const toXlsx = ({ schema, elements }: Table): Uint8Array => {
  const rows = [schema.map(({ name }) => name), ...elements.map((row) => schema.map(({ name }) => row[name] ?? null))];
  const lines = rows.map((row, at) => `<row r="${at + 1}">${row.map((value, column) => cellOf(value, column, at + 1)).join('')}</row>`);
  return zipped([
    {
      name: '[Content_Types].xml',
      text: `${head}<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type}.worksheet+xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      text: `${head}<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      text: `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Table" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      text: `${head}<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    },
    { name: 'xl/worksheets/sheet1.xml', text: `${head}<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>` },
  ]);
};
