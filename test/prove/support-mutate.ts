/** Numbers below 2^32 that are the same for the same seed (mulberry32). */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const splice = (bytes: Buffer, at: number, gone: number, added: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + gone)]);

/** Ways in which a file is damaged: each takes the bytes and a source of numbers. */
const damages: readonly ((bytes: Buffer, pick: (below: number) => number) => Buffer)[] = [
  (bytes, pick) => {
    const changed = Buffer.from(bytes);
    for (let count = 1 + pick(8); count > 0; count -= 1) changed[pick(bytes.length)]! ^= 1 << pick(8);
    return changed;
  },
  (bytes, pick) => splice(bytes, pick(bytes.length), 1 + pick(64), Buffer.alloc(0)),
  (bytes, pick) => splice(bytes, pick(bytes.length), 0, Buffer.from(Array.from({ length: 1 + pick(64) }, () => pick(256)))),
  (bytes, pick) => bytes.subarray(0, pick(bytes.length)),
  // Lengths and counts live in words: the largest ones are where readers give way.
  (bytes, pick) =>
    splice(bytes, pick(bytes.length), 4, [Buffer.alloc(4, 0xff), Buffer.from([255, 255, 255, 127]), Buffer.alloc(4)][pick(3)]!),
  // Metadata stands at the end of most files.
  (bytes, pick) => {
    const changed = Buffer.from(bytes);
    for (let count = 1 + pick(4); count > 0; count -= 1) changed[Math.max(0, bytes.length - 1 - pick(512))] = pick(256);
    return changed;
  },
];

/** A damaged copy, the same for the same seed. */
export function mutate(bytes: Buffer, seed: number): Buffer {
  const pick = random(seed);
  if (bytes.length === 0) return Buffer.from([pick(256)]);
  return damages[pick(damages.length)]!(bytes, pick);
}
