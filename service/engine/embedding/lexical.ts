/** FNV-1a over UTF-16 units; `seed` keeps the kinds of features apart. */
const hash = (text: string, start: number, end: number, seed: number): number => {
  let h = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = start; i < end; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) >>> 0;
  return (h ^ (h >>> 13)) >>> 0;
};

/** Words that say little: they count a tenth. */
const COMMON = new Set(
  'a an and any are as at be been but by can for from had has have he her his how i if in into is it its may more most my no not of on one or other our out she so some such than that the their them then there these they this to up used was we were what when which who will with you your null'.split(
    ' ',
  ),
);

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Letter groups that let "searching" meet "searches". */
const GROUPS = [3, 4] as const;
/** Weight of all letter groups of a word together, beside the word itself. */
const GROUP_WEIGHT = 0.6;

const add = (into: Float32Array, offset: number, size: number, h: number, weight: number): void => {
  into[offset + (h % size)]! += (h & 0x80000000) === 0 ? weight : -weight;
};

/** Adds the signed hashed features of a text to `size` numbers of `into`, scaled to length 1; nothing where the text holds no word. */
export const addLexical = (text: string, into: Float32Array, offset: number, size: number): void => {
  const counts = new Map<string, number>();
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [word, count] of counts) {
    const weight = (1 + Math.log(count)) * (COMMON.has(word) ? 0.1 : 1);
    add(into, offset, size, hash(word, 0, word.length, 1), weight);
    const padded = `^${word}$`;
    const groups = GROUPS.reduce((sum, n) => sum + Math.max(0, padded.length - n + 1), 0);
    const share = (weight * GROUP_WEIGHT) / Math.sqrt(Math.max(1, groups));
    for (const n of GROUPS) for (let i = 0; i + n <= padded.length; i++) add(into, offset, size, hash(padded, i, i + n, n), share);
  }
  let squares = 0;
  for (let i = offset; i < offset + size; i++) squares += into[i]! * into[i]!;
  if (squares === 0) return;
  const scale = 1 / Math.sqrt(squares);
  for (let i = offset; i < offset + size; i++) into[i]! *= scale;
};
