import { BadInput } from '../../../errors/classes.ts';
import { imageHeads } from '../images/decode.ts';
import type { Reader } from './block.ts';

type Format = {
  /** Media type, as results name it. */
  type: string;
  /** Do the first bytes say so? */
  begins?: (head: Buffer) => boolean;
  /** By which the sender names it, where its bytes are text. */
  said?: RegExp;
  /** Ends of file names, where the sender says nothing of use. */
  named?: RegExp;
  load: () => Promise<Reader>;
};

const startsWith =
  (...starts: readonly (string | readonly number[])[]) =>
  (head: Buffer): boolean =>
    starts.some((start) =>
      head.subarray(0, start.length).equals(typeof start === 'string' ? Buffer.from(start, 'latin1') : Buffer.from(start)),
    );

const refused = (type: string, what: string, begins: Format['begins']): Format => ({
  type,
  ...(begins ? { begins } : {}),
  load: async () => () => {
    throw new BadInput('bad_input', what);
  },
});

/** The formats that are read, in the order in which they are asked. Plain text is what is no other. */
const formats: readonly Format[] = [
  {
    type: 'application/pdf',
    // What stands before the mark is skipped, as readers of PDF do.
    begins: (head) => head.subarray(0, 1_024 + 5).includes('%PDF-'),
    said: /^application\/pdf/i,
    named: /\.pdf$/i,
    load: async () => (await import('./pdf/read.ts')).readPdf,
  },
  {
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    // Any archive: what else it may be is said where it is opened.
    begins: startsWith('PK\u0003\u0004'),
    load: async () => (await import('./docx/read.ts')).readDocx,
  },
  refused(
    'application/x-cfb',
    'the file is of an older Office program, or encrypted; save it as .docx without a password',
    startsWith([0xd0, 0xcf, 0x11, 0xe0]),
  ),
  refused('application/rtf', 'RTF is not read; save it as .docx, PDF or text', startsWith('{\\rtf')),
  ...(['png', 'jpeg', 'webp'] as const).map((format): Format => ({
    type: `image/${format}`,
    begins: imageHeads[format],
    load: async () => (await import('./ocr/image.ts')).readImage,
  })),
  {
    type: 'text/html',
    begins: (head) => /^(\ufeff|\s|<!--.{0,200}?-->)*<(!doctype\s+html|html|head|body)\b/is.test(head.toString('utf8')),
    said: /^(text\/html|application\/xhtml\+xml)/i,
    named: /\.x?html?$/i,
    load: async () => (await import('./text/html.ts')).readHtml,
  },
  {
    type: 'text/markdown',
    said: /^text\/(x-)?markdown/i,
    named: /\.(md|markdown)$/i,
    load: async () => (await import('./text/markdown.ts')).readMarkdown,
  },
  { type: 'text/plain', said: /./, load: async () => (await import('./text/plain.ts')).readPlain },
];

/** Says nothing: then the name of the file is asked. */
const vague = /^($|application\/octet-stream|binary\/|text\/plain)/i;

/** By the first bytes where they tell, by what its sender says otherwise. */
export function formatOf(head: Buffer, contentType: string, name: string): Format {
  const byBytes = formats.find(({ begins }) => begins?.(head));
  if (byBytes) return byBytes;
  const byName = vague.test(contentType) ? formats.find(({ named }) => named?.test(name)) : undefined;
  return byName ?? formats.find(({ said }) => said?.test(contentType)) ?? formats.at(-1)!;
}
