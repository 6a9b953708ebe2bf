import { damaged, tooLarge } from './verdict.ts';

const fail = (rule: string): never => damaged(`lz4: ${rule}`);

/** Runs shorter than this are copied byte by byte: a call into the engine costs more. */
const shortRun = 24;

/** Appends the bytes of one LZ4 block to `out` at `end`; returns the new end. `longest`: see `lz4Frame`. */
function lz4Block(block: Uint8Array, out: Buffer, end: number, longest: number): number {
  let at = 0;
  const room = (bytes: number, rule: string): void => {
    if (end + bytes <= out.length) return;
    if (out.length >= longest) throw tooLarge(longest);
    fail(rule);
  };
  const length = (nibble: number): number => {
    let total = nibble;
    if (nibble === 15) {
      let more = 255;
      while (more === 255) total += more = block[at++] ?? fail('block ends early');
    }
    return total;
  };
  while (at < block.length) {
    const token = block[at++]!;
    const literals = length(token >> 4);
    if (at + literals > block.length) fail('literals run past the end');
    room(literals, 'literals run past the end');
    if (literals < shortRun) for (let n = 0; n < literals; n += 1) out[end + n] = block[at + n]!;
    else out.set(block.subarray(at, at + literals), end);
    at += literals;
    end += literals;
    if (at >= block.length) break;
    const offset = block[at]! | ((block[at + 1] ?? fail('block ends early')) << 8);
    at += 2;
    const match = length(token & 15) + 4;
    if (offset === 0 || offset > end) fail('match outside of the data');
    room(match, 'match outside of the data');
    if (match >= shortRun && offset >= match) out.copyWithin(end, end - offset, end - offset + match);
    else if (match >= shortRun && offset === 1) out.fill(out[end - 1]!, end, end + match);
    // Byte by byte: a match may overlap what it writes.
    else for (let n = 0; n < match; n += 1) out[end + n] = out[end + n - offset]!;
    end += match;
  }
  return end;
}

/** LZ4 frame → bytes, at most `longest`. Checksums are skipped, dictionaries refused. */
export function lz4Frame(frame: Uint8Array, longest: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 7 || view.getUint32(0, true) !== 0x184d2204) fail('not a frame');
  const flags = frame[4]!;
  if (flags >> 6 !== 1 || flags & 1) fail('unknown version or dictionary');
  const blockLimit = [0, 0, 0, 0, 1 << 16, 1 << 18, 1 << 20, 1 << 22][(frame[5]! >> 4) & 7]! || fail('block size not defined');
  let at = 7 + (flags & 8 ? 8 : 0);
  let out = Buffer.alloc(Math.min(longest, Math.max(blockLimit, frame.length * 4)));
  let end = 0;
  for (;;) {
    if (at + 4 > frame.length) fail('no end mark');
    const word = view.getUint32(at, true);
    at += 4;
    if (word === 0) return out.subarray(0, end);
    const size = word & 0x7fffffff;
    if (size > blockLimit || at + size > frame.length) fail('block runs past the end');
    if (end + blockLimit > out.length && out.length < longest)
      out = Buffer.concat([out.subarray(0, end)], Math.min(longest, Math.max(out.length * 2, end + blockLimit)));
    const block = frame.subarray(at, at + size);
    if (word & 0x80000000) {
      if (end + size > out.length) throw tooLarge(longest);
      out.set(block, end);
      end += size;
    } else end = lz4Block(block, out, end, longest);
    at += size + (flags & 16 ? 4 : 0);
  }
}
