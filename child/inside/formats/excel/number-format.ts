/** What a number stands for by its format. `time`: of a day; `duration`: hours that go on beyond 24. */
export type FormatKind = 'date' | 'time' | 'duration';

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/**
 * Formats that are not written out in a workbook (ECMA-376 18.8.30), those of East Asia and Thailand too. Where languages differ
 * whether an id is a date or a time it stands here as a time: one of a day or more is a date all the same.
 */
const builtIn = new Map<number, FormatKind>([
  ...[14, 15, 16, 17, 22, ...range(27, 31), 36, ...range(50, 54), 57, 58, 71, 72, 73, 74, 77, 81].map((id) => [id, 'date'] as const),
  ...[18, 19, 20, 21, ...range(32, 35), 45, 47, 55, 56, 75, 76, 78, 80].map((id) => [id, 'time'] as const),
  ...[46, 79].map((id) => [id, 'duration'] as const),
]);

/** Text of a format's first section that stands for itself, sets a width, or fills. */
const literals = /"[^"]*"?|\\.?|[_*].?/gs;
const elapsed = /\[(h+|m+|s+)\]/i;
const brackets = /\[[^\]]*\]?/g;

/**
 * What the numbers of a format are; undefined where they are plain numbers, `unclear` where it is written as that of a date and as that
 * of a number. Its first section decides, which is that of positive numbers.
 */
export function formatKind(code: string): FormatKind | 'unclear' | undefined {
  const written = code.replace(literals, ' ');
  const [first] = written.replace(brackets, (text) => (elapsed.test(text) ? text : ' ')).split(';', 1);
  const letters = first!
    .toLowerCase()
    .replace(/general/g, ' ')
    .replace(/am\/pm|a\/p/g, 'h')
    .replace(/e[-+]/g, ' ');
  // Digits stand beside letters of a unit that was left without quotes; only fractions of a second have some in a time.
  if (/[0-9#?]/.test(letters.replace(/s\.0+/g, 's'))) return /[ydmhs][0-9#?]*[-/:][0-9#?]*[ydmhs]/.test(letters) ? 'unclear' : undefined;
  const isDate = /[ydgb]|m{3,}|a{3,}|(?<![0#?.])e/.test(letters);
  if (isDate) return 'date';
  if (elapsed.test(letters)) return 'duration';
  if (/[hs]/.test(letters)) return 'time';
  return letters.includes('m') ? 'date' : undefined;
}

/** What the numbers of a format are by its id; `codes` are those that the workbook writes out. */
export const kindOfId = (id: number, codes: ReadonlyMap<number, string>): ReturnType<typeof formatKind> =>
  codes.has(id) ? formatKind(codes.get(id)!) : builtIn.get(id);
