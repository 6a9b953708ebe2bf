import { createReadStream } from 'node:fs';
import { following } from '../utf8.ts';

const [newline, carriage] = [0x0a, 0x0d];

/** The engine reads no longer row. */
const longestRow = 2 * 1024 * 1024;

/** Why the rows of a CSV file are none, with the line in which it shows; undefined where each has as many values as the first. */
export async function csvTrouble(
  file: string,
  { delimiter, quote, skip = 0 }: { delimiter: string; quote: string; skip?: number | undefined },
): Promise<string | undefined> {
  const [separator, quoteByte] = [delimiter.charCodeAt(0), quote === '' ? -1 : quote.charCodeAt(0)];
  let line = 1;
  let rowLine = 1;
  let quoteLine = 0;
  let values = 1;
  let wanted: number | undefined;
  let isQuoted = false;
  let isStart = true;
  let isEmpty = true;
  let before = -1;
  let rowBytes = 0;
  // Bytes of a letter that are still to come.
  let open = 0;
  const ends = new Map<string, number>();

  const endOfRow = (end: string): string | undefined => {
    if (!ends.has(end)) ends.set(end, line);
    const [found, at] = [values, rowLine];
    const blank = (isEmpty && found === 1) || line <= skip;
    values = 1;
    rowBytes = 0;
    isStart = isEmpty = true;
    if (blank) return undefined;
    wanted ??= found;
    return found === wanted ? undefined : `line ${at} has ${found} value${found === 1 ? '' : 's'}, and the first line has ${wanted}`;
  };

  const step = (byte: number): string | undefined => {
    const last = before;
    before = byte;
    rowBytes += 1;
    if (rowBytes > longestRow)
      return `has a row of more than ${longestRow} bytes, from line ${rowLine} on, which is not supported; leave the long values out`;
    const more = open > 0 ? ((byte & 0xc0) === 0x80 ? open - 1 : undefined) : following(byte);
    if (more === undefined)
      return `is not UTF-8 text in line ${line}; save it as UTF-8, or say how it is written: csv: { encoding: windows-1252 }`;
    open = more;
    if (isQuoted) {
      if (byte === quoteByte) isQuoted = false;
      if (byte === newline) line += 1;
      return undefined;
    }
    if (last === carriage && byte !== newline) {
      const trouble = endOfRow('\\r');
      if (trouble) return trouble;
      line += 1;
      rowLine = line;
    }
    if (byte === newline) {
      const trouble = endOfRow(last === carriage ? '\\r\\n' : '\\n');
      line += 1;
      rowLine = line;
      return trouble;
    }
    if (byte === carriage) return undefined;
    isEmpty = false;
    // A quote opens a value at its start; a second one within it stands for itself.
    if (byte === quoteByte && (isStart || last === quoteByte) && line > skip) {
      isQuoted = true;
      quoteLine = line;
    }
    isStart = byte === separator;
    if (isStart) values += 1;
    return undefined;
  };

  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
    for (const byte of chunk) {
      const trouble = step(byte);
      if (trouble) return trouble;
    }
  if (isQuoted) return `a quote that opens in line ${quoteLine} is never closed: the file is cut off, or the quote stands for itself`;
  const last = isEmpty ? undefined : endOfRow([...ends.keys()][0] ?? '\\n');
  if (last) return last;
  if (ends.size < 2) return undefined;
  const where = [...ends].map(([end, at]) => `${end} in line ${at}`).join(', ');
  return `mixes line ends (${where}); write all of them alike`;
}
