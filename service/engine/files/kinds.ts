import { extname } from 'node:path';

const pdf = Buffer.from('%PDF-');
const ole = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const zip = Buffer.from('PK\u0003\u0004', 'latin1');

/** What a file begins with, at the latest after so many bytes. */
type Beginning = { bytes: Buffer; within?: number };

/** What is known of files by the end of their name; `beginning`: those that are ingested, by which they are known not to be damaged. */
const kinds: Readonly<Record<string, { mime: string; beginning?: Beginning }>> = {
  '.pdf': { mime: 'application/pdf', beginning: { bytes: pdf, within: 1_024 } },
  '.doc': { mime: 'application/msword', beginning: { bytes: ole } },
  '.xls': { mime: 'application/vnd.ms-excel', beginning: { bytes: ole } },
  '.ppt': { mime: 'application/vnd.ms-powerpoint', beginning: { bytes: ole } },
  '.docx': { mime: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', beginning: { bytes: zip } },
  '.xlsx': { mime: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', beginning: { bytes: zip } },
  '.pptx': { mime: 'application/vnd.openxmlformats-officedocument.presentationml.presentation', beginning: { bytes: zip } },
  '.png': { mime: 'image/png', beginning: { bytes: Buffer.from('89504e470d0a1a0a', 'hex') } },
  '.jpg': { mime: 'image/jpeg', beginning: { bytes: Buffer.from('ffd8ff', 'hex') } },
  '.jpeg': { mime: 'image/jpeg', beginning: { bytes: Buffer.from('ffd8ff', 'hex') } },
  '.csv': { mime: 'text/csv' },
  '.tsv': { mime: 'text/tab-separated-values' },
  '.txt': { mime: 'text/plain' },
  '.md': { mime: 'text/markdown' },
  '.html': { mime: 'text/html' },
  '.json': { mime: 'application/json' },
  '.jsonl': { mime: 'application/jsonl' },
  '.xml': { mime: 'application/xml' },
  '.dwg': { mime: 'image/vnd.dwg' },
  '.zip': { mime: 'application/zip' },
};

const unknownType = 'application/octet-stream';

const kindOf = (name: string) => kinds[extname(name).toLowerCase()];

/** The type that was sent with a file, where it says something, else that of its name. */
export const mimeTypeOf = (name: string, sent: string): string => {
  const said = sent.split(';')[0]!.trim().toLowerCase();
  return said === '' || said === unknownType ? (kindOf(name)?.mime ?? unknownType) : said;
};

/** Is a file of this name ingested, or ready at once? Known by its name, as the service knows it. */
export const isIngested = (name: string): boolean => kindOf(name)?.beginning !== undefined;

/** Bytes that the ingest looks at. */
export const headBytes = 1_024 + pdf.byteLength;

/** Why the first bytes are none of a file of this name; undefined where they are. */
export const faultOf = (name: string, head: Uint8Array): string | undefined => {
  const { mime, beginning } = kindOf(name) ?? {};
  if (!beginning) return undefined;
  const at = Buffer.from(head).indexOf(beginning.bytes);
  return at >= 0 && at <= (beginning.within ?? 0) ? undefined : `the file is called ${extname(name)}, and its bytes are none of ${mime}`;
};
