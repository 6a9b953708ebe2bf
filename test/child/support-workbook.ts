import { crc32, deflateRawSync } from 'node:zlib';

/** A part of a ZIP file; `crc` and `size` are what its directory says of it where that is a lie. */
export type Part = { name: string; bytes: string | Uint8Array; crc?: number; size?: number; isEncrypted?: boolean };

/** A ZIP file of these parts, in their order. */
export function zip(parts: readonly Part[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, crc = crc32(bytes), size = Buffer.byteLength(bytes), isEncrypted = false } of parts) {
    const packed = deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isEncrypted ? 0x801 : 0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), common, entry, Buffer.from(name));
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    files.push(file);
    at += file.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, listed, end]);
}

const transitional = 'http://schemas.openxmlformats.org';
const main = `${transitional}/spreadsheetml/2006/main`;
const office = `${transitional}/officeDocument/2006/relationships`;

/** A part that names others, by their types. */
export const relationships = (targets: readonly (readonly [type: string, target: string])[], types: string = office): string =>
  `<Relationships xmlns="${transitional}/package/2006/relationships">${targets
    .map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${types}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** The XML of a sheet with these rows. */
export const sheetXml = (rows: string): string => `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`;

export type Made = {
  /** What stands in `sheetData`, or in the whole part where it begins with `<?`, `<!` or `<worksheet`. */
  rows?: string;
  /** `si` elements. */
  strings?: string;
  /** Codes of formats: the cells with the style `s="1"` have the first of them. */
  formats?: string[];
  /** The list of sheets. */
  sheets?: string;
  /** Before and behind it. */
  properties?: string;
  calculation?: string;
  /** Parts in place of those that are made, or beside them; undefined takes one away. */
  parts?: Record<string, string | Uint8Array | undefined>;
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** The parts of a workbook with one sheet, T. */
export function workbookParts({
  rows = '',
  strings = '',
  formats = [],
  properties = '',
  calculation = '',
  sheets = '<sheet name="T" sheetId="1" r:id="rId1"/>',
  parts = {},
}: Made): Part[] {
  const made: Record<string, string | Uint8Array | undefined> = {
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}">${properties}<sheets>${sheets}</sheets>${calculation}</workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ['worksheet', 'worksheets/sheet1.xml'],
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', '/xl/styles.xml'],
    ]),
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${strings}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${formats
      .map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${escaped(code)}"/>`)
      .join(
        '',
      )}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_, at) => `<xf numFmtId="${200 + at}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': /^<([?!]|worksheet)/.test(rows) ? rows : sheetXml(rows),
    ...parts,
  };
  return Object.entries(made).flatMap(([name, bytes]) => (bytes === undefined ? [] : [{ name, bytes }]));
}

/** A workbook with one sheet, T. */
export const workbook = (made: Made): Buffer => zip(workbookParts(made));

/** A row of cells that say nothing of where they are; texts stand in them. */
export const textRow = (...texts: string[]): string =>
  `<row>${texts.map((text) => `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`).join('')}</row>`;
