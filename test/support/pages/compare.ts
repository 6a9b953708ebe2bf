/** What differs from run to run, by what is put in its place on both sides. */
const changing: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
  [/\b[a-z][\w-]*-20\d\d-\d\d-\d\d-[0-9a-f]{8}\b/g, 'RUN'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, 'HOST'],
  [/file:\/\/\S+?(?=\/(?:dist|node_modules|\.portolan)\/)/g, 'file://FOLDER'],
  [/(?<![\w.])\d+(\.\d+)? (ms|s|min|h)\b/g, 'TIME'],
  [/\b\d\d:\d\d:\d\d\b/g, 'TIME'],
  [/\b[0-9a-f]{4}…[0-9a-f]{2,4}\b|\b[0-9a-f]{12,64}\b/g, 'HASH'],
  [/[ \t]+/g, ' '],
];

const settled = (line: string): string => changing.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), line).trim();

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map(settled)
    // npm speaks of the reader's own settings.
    .filter((line) => line !== '' && !/^npm (warn|notice)/.test(line));

const fitsLine = (expected: string, found: string): boolean => {
  const parts = expected.split('…');
  if (parts.length === 1) return expected === found;
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (!found.startsWith(first) || !found.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const next = found.indexOf(part, at);
    if (next < 0) return false;
    at = next + part.length;
  }
  return at <= found.length - last.length;
};

/**
 * Whether a command printed what its page shows: line by line, but for times, ids and places. `…` stands for anything in
 * a line, and alone for any number of lines. Returns the first line that is not there.
 */
export function missingLine(shown: string, printed: string): string | undefined {
  const found = lines(printed);
  let at = 0;
  let free = false;
  for (const expected of lines(shown)) {
    if (expected === '…') {
      free = true;
      continue;
    }
    const next = free ? found.findIndex((line, index) => index >= at && fitsLine(expected, line)) : at;
    if (next < 0 || next >= found.length || !fitsLine(expected, found[next]!)) return expected;
    at = next + 1;
    free = false;
  }
  return free || at === found.length ? undefined : `nothing further, but there is: ${found[at]}`;
}
