/** Ids hashed to 64 bits by DuckDB, each as low and high half: two numbers an id. */
export type Hashes = Uint32Array;

/**
 * Which rows may hold an id, in memory: an upload of new ids need not look at the millions that are there. It may name a
 * row that is gone or whose write was rolled back, so what it finds is looked up in the data; it never misses one.
 */
export type IdIndex = {
  /** False until it was filled from the data. */
  ready: boolean;
  /** Empty, as for a dataset without rows, and ready. */
  reset(): void;
  enter(hashes: Hashes, rows: ArrayLike<number>): void;
  /** Enters the ids with these numbers under rows that count up from `firstRow`. */
  add(hashes: Hashes, ids: readonly number[], firstRow: number): void;
  /** Numbers of the ids that may be there, and the lowest and highest row that they may be in. */
  find(hashes: Hashes): { ids: number[]; from: number; to: number };
};

const EMPTY = 0xffff_ffff;
const PARTS = 64;

type Part = { slots: Uint32Array; mask: number; used: number; limit: number };

/** Open addressing; a slot is low half, high half, row. */
const createPart = (capacity: number, share: number): Part => ({
  slots: new Uint32Array(capacity * 3).fill(EMPTY),
  mask: capacity - 1,
  used: 0,
  limit: Math.floor(capacity * share),
});

const insert = ({ slots, mask }: Part, low: number, high: number, row: number): void => {
  let at = (high & mask) * 3;
  while (slots[at + 2] !== EMPTY) at = at + 3 === slots.length ? 0 : at + 3;
  slots[at] = low;
  slots[at + 1] = high;
  slots[at + 2] = row;
};

const grown = (part: Part, share: number): Part => {
  const larger = createPart((part.mask + 1) * 2, share);
  for (let at = 0; at < part.slots.length; at += 3)
    if (part.slots[at + 2] !== EMPTY) insert(larger, part.slots[at]!, part.slots[at + 1]!, part.slots[at + 2]!);
  larger.used = part.used;
  return larger;
};

export const createIdIndex = (): IdIndex => {
  // Many parts that grow at different fills: growing is then never one long pause.
  const shareOf = (at: number): number => 0.5 + (0.25 * at) / PARTS;
  const empty = (): Part[] => Array.from({ length: PARTS }, (_, at) => createPart(16, shareOf(at)));
  let parts = empty();

  const put = (low: number, high: number, row: number): void => {
    const at = low % PARTS;
    const part = parts[at]!;
    part.used += 1;
    insert(part, low, high, row);
    if (part.used >= part.limit) parts[at] = grown(part, shareOf(at));
  };

  return {
    ready: false,
    reset() {
      parts = empty();
      this.ready = true;
    },
    add(hashes, ids, firstRow) {
      for (const [at, id] of ids.entries()) put(hashes[id * 2]!, hashes[id * 2 + 1]!, firstRow + at);
    },
    enter(hashes, rows) {
      for (let at = 0; at < hashes.length; at += 2) put(hashes[at]!, hashes[at + 1]!, rows[at / 2]!);
    },
    find(hashes) {
      const ids: number[] = [];
      let from = Infinity;
      let to = -1;
      for (let at = 0; at < hashes.length; at += 2) {
        const [low, high] = [hashes[at]!, hashes[at + 1]!];
        const { slots, mask } = parts[low % PARTS]!;
        let found = false;
        for (let slot = (high & mask) * 3; slots[slot + 2] !== EMPTY; slot = slot + 3 === slots.length ? 0 : slot + 3) {
          if (slots[slot] !== low || slots[slot + 1] !== high) continue;
          found = true;
          from = Math.min(from, slots[slot + 2]!);
          to = Math.max(to, slots[slot + 2]!);
        }
        if (found) ids.push(at / 2);
      }
      return { ids, from, to };
    },
  };
};
