import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** A line without its end, and where it begins in its file. */
export type FileLine = { at: number; bytes: Buffer };

const lineEnd = 0x0a;

/** The lines of a file, some at a time: those that end in so many bytes, or one that is longer. */
export async function* linesOfFile(path: string, bytesAtATime: number): AsyncGenerator<FileLine[], void, undefined> {
  // A stream makes room for all that it may read at once, also where the file is short.
  const { size } = await stat(path);
  const highWaterMark = Math.min(bytesAtATime, size + 1);
  let rest: Buffer[] = [];
  let at = 0;
  for await (const part of createReadStream(path, { highWaterMark }) as AsyncIterable<Buffer>) {
    if (!part.includes(lineEnd)) {
      rest.push(part);
      continue;
    }
    const held = Buffer.concat([...rest, part]);
    const lines: FileLine[] = [];
    let from = 0;
    for (let end = held.indexOf(lineEnd); end !== -1; end = held.indexOf(lineEnd, from)) {
      lines.push({ at: at + from, bytes: held.subarray(from, end) });
      from = end + 1;
    }
    rest = [held.subarray(from)];
    at += from;
    yield lines;
  }
}
