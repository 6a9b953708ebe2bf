import { extname } from 'node:path';
import { BadInput } from '../../../errors/classes.ts';
import type { FileType } from '../../preview.ts';

const endings: Record<string, FileType> = {
  '.json': 'json',
  '.jsonl': 'json',
  '.ndjson': 'json',
  '.geojson': 'json',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.tab': 'csv',
  '.txt': 'csv',
  '.parquet': 'parquet',
  '.xlsx': 'excel',
  '.xlsm': 'excel',
  '.arrow': 'arrow-file',
  '.feather': 'arrow-file',
  '.ipc': 'arrow-file',
  '.arrows': 'arrow-stream',
  '.stream': 'arrow-stream',
};

const claims: Partial<Record<FileType, string>> = {
  parquet: 'Parquet: it does not begin with PAR1',
  excel: 'an Excel workbook: it does not begin with PK',
  'arrow-file': 'Arrow IPC: it begins neither with ARROW1 nor with a stream message',
};

const archive = (name: string): string => `is a ${name} archive; unpack it first`;

const utf16 = (encoding: string): string => `is UTF-16 text; save it as UTF-8, or say of CSV csv: { encoding: ${encoding} }`;

const notSupported = (what: string): string => `is ${what}, which is not supported; save it as .xlsx`;

/** Spreadsheets of other kinds, by their endings: their bytes are those of archives. */
const otherSheets: Record<string, string> = {
  '.xls': notSupported('a workbook of Excel 97 (.xls)'),
  '.xlsb': notSupported('a binary workbook (.xlsb)'),
  '.ods': notSupported('an OpenDocument spreadsheet (.ods)'),
};

/**
 * Bytes in Latin-1, at the start or where `at` says, and the type that they mean or why it is refused: only, or not, where the name
 * claims a type.
 */
const magics: readonly { magic: string; at?: number; type?: FileType; refusal?: string; only?: FileType; not?: FileType }[] = [
  { magic: 'ustar', at: 257, refusal: archive('tar') },
  { magic: 'PAR1', not: 'csv', type: 'parquet' },
  { magic: 'ARROW1', not: 'csv', type: 'arrow-file' },
  // The first column of a CSV file may be called PAR1 or ARROW1: what follows in the others is no text. In Parquet it is the first
  // field of a page or of the metadata, as Thrift writes a number of 32 bits; in Arrow it fills eight bytes.
  { magic: 'PAR1\x15', type: 'parquet' },
  { magic: 'ARROW1\0\0', type: 'arrow-file' },
  { magic: '\xff\xff\xff\xff', type: 'arrow-stream' },
  { magic: 'PARE', not: 'csv', refusal: 'is encrypted Parquet, which is not supported; decrypt it first' },
  { magic: 'FEA1', not: 'csv', refusal: 'is Feather version 1, which is not supported; write version 2, which is Arrow IPC' },
  { magic: 'Obj\x01', refusal: 'is an Avro file, which is not supported; write Parquet' },
  { magic: 'SQLite format 3\0', refusal: 'is an SQLite database, not a table; export the table as CSV or Parquet' },
  { magic: '%PDF-', refusal: 'is a PDF document, not a table' },
  { magic: '\xff\xfe', refusal: utf16('utf-16le') },
  { magic: '\xfe\xff', refusal: utf16('utf-16be') },
  { magic: '\x1f\x8b', refusal: archive('gzip') },
  { magic: 'PK\x03\x04', only: 'excel', type: 'excel' },
  {
    magic: '[Content_Types].xml',
    at: 30,
    refusal: 'is a file of an Office program; where it is an Excel workbook, end its name in .xlsx',
  },
  { magic: 'PK\x03\x04', refusal: archive('zip') },
  {
    magic: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    refusal: 'is encrypted, or a workbook of Excel 97 (.xls), which is not supported; save it as .xlsx without a password',
  },
  { magic: '\x28\xb5\x2f\xfd', refusal: archive('zstd') },
  { magic: '\x04\x22\x4d\x18', refusal: archive('lz4') },
  { magic: 'BZh91AY&SY', refusal: archive('bzip2') },
  { magic: '\xfd7zXZ\0', refusal: archive('xz') },
];

/** Type of a table file, by its first bytes, then by the ending of its name. Fails with `BadInput` where it cannot be a table. */
export function fileType(head: Buffer, name: string): FileType {
  const start = head.toString('latin1');
  const ending = extname(name).toLowerCase();
  const claimed = endings[ending];
  const seen = magics.find(
    ({ magic, at, only, not }) => start.startsWith(magic, at) && (only ?? claimed) === claimed && (not === undefined || not !== claimed),
  );
  const refused = otherSheets[ending] ?? seen?.refusal;
  if (refused !== undefined) throw new BadInput('bad_input', `${name}: ${refused}`);
  if (seen?.type) return seen.type;
  const refusal = claimed && claims[claimed];
  if (refusal) throw new BadInput('bad_input', `${name}: is not ${refusal}`);
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  const type = claimed ?? (/^[{[]/.test(text) ? 'json' : undefined);
  if (!type)
    throw new BadInput(
      'bad_input',
      `${name}: not known as a table; tables end in ${Object.keys(endings).join(', ')}, also with .gz or .zst`,
    );
  return type;
}
