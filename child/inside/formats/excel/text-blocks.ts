/** Texts that stand one behind the other in a file, as UTF-8: where a block of them begins, and where each of them ends, from there. */
export type Block = { from: number; ends: Float64Array };

/** So many texts are kept together; where each of them ends is held in memory. */
export const blockSize = 256;

/** Bytes of blocks that are held at once. */
const mostHeld = 64 * 1024 * 1024;

const sizeOf = ({ ends }: Block): number => ends.at(-1) ?? 0;

/**
 * Finds texts by their number, undefined where there is none; `fill` reads from a place of the file until a buffer is full. Blocks
 * that are used one after the other are read whole and held; where texts are asked for in any order, and all of them are more than is held, each is read alone.
 */
export function createTextBlocks(
  blocks: readonly Block[],
  fill: (bytes: Buffer, from: number) => void,
  heldBytes = mostHeld,
): (index: number) => string | undefined {
  const areHeldAll = blocks.reduce((sum, block) => sum + sizeOf(block), 0) <= heldBytes;
  const cached = new Map<number, Buffer>();
  let held = 0;
  let last = -1;
  let single = Buffer.alloc(0);
  const readOne = (from: number, length: number): string => {
    if (single.length < length) single = Buffer.allocUnsafeSlow(2 * length);
    const bytes = single.subarray(0, length);
    fill(bytes, from);
    return bytes.toString('utf8');
  };
  const load = (at: number): Buffer => {
    const bytes = Buffer.allocUnsafeSlow(sizeOf(blocks[at]!));
    fill(bytes, blocks[at]!.from);
    cached.set(at, bytes);
    held += bytes.length;
    for (const [oldest, { length }] of cached) {
      if (held <= heldBytes || oldest === at) break;
      cached.delete(oldest);
      held -= length;
    }
    return bytes;
  };
  return (index) => {
    const at = Math.floor(index / blockSize);
    const place = index % blockSize;
    const block = blocks[at];
    const end = block?.ends[place];
    if (!block || end === undefined) return undefined;
    const start = place === 0 ? 0 : block.ends[place - 1]!;
    const isNear = Math.abs(at - last) <= 1;
    last = at;
    const bytes = cached.get(at) ?? (areHeldAll || isNear ? load(at) : undefined);
    return bytes ? bytes.toString('utf8', start, end) : readOne(block.from + start, end - start);
  };
}
