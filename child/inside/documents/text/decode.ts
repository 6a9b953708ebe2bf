import { BadInput } from '../../../../errors/classes.ts';

const marks: readonly { bytes: readonly number[]; encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];

/** Controls that no text has; a file with them is some other format. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

const decoded = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/**
 * The text of a file by its byte order mark, what its sender or the file itself says (`said`), or else UTF-8; bytes that are none are
 * read as Windows-1252, with a note. Lines end in `\n`. Fails with `BadInput` where the bytes are no text.
 */
export function decodeText(bytes: Uint8Array, said: string | undefined, notes: string[]): string {
  const mark = marks.find((each) => each.bytes.every((byte, at) => bytes[at] === byte));
  let text = decoded(bytes, mark?.encoding ?? 'utf-8');
  if (text === undefined && said !== undefined) text = decoded(bytes, said);
  if (text === undefined) {
    text = new TextDecoder('windows-1252').decode(bytes);
    notes.push('the bytes are no UTF-8 text; they were read as Windows-1252');
  }
  if (controls.test(text)) throw new BadInput('bad_input', 'the file is no text, and no other format that is read');
  return text.replaceAll(/\r\n?/g, '\n');
}

/** The encoding that a content type names: `text/html; charset=iso-8859-1`. */
export const charsetOf = (contentType: string): string | undefined => /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1];
