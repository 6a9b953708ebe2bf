/** True of a text that may stand for several names. */
export const isGlob = (text: string): boolean => /[*?[{]/.test(text);

/** What every name that a pattern matches begins with. */
export const fixedPart = (pattern: string): string => pattern.slice(0, pattern.search(/[*?[{]|$/));

/** The folder, as the pattern names it, that holds everything which the pattern can match. */
export const folderOf = (pattern: string): string => fixedPart(pattern).split('/').slice(0, -1).join('/');

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Where the bracket that opens at a place is closed; -1 where nowhere. */
function closing(pattern: string, from: number): number {
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    if (pattern[at] === '{') depth++;
    else if (pattern[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

/** The alternatives between two braces. */
function alternatives(inner: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === '{') depth++;
    else if (inner[at] === '}') depth--;
    else if (inner[at] === ',' && depth === 0) {
      found.push(inner.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...found, inner.slice(begin)];
}

/** A pattern without braces: all that its alternatives stand for, the first one first. */
function expanded(pattern: string): string[] {
  const open = pattern.indexOf('{');
  const close = open < 0 ? -1 : closing(pattern, open);
  const parts = close < 0 ? [] : alternatives(pattern.slice(open + 1, close));
  if (parts.length < 2) return [pattern];
  return parts.flatMap((part) => expanded(pattern.slice(0, open) + part + pattern.slice(close + 1)));
}

/** How many patterns without braces one stands for: each of its braces multiplies them. */
export function spread(pattern: string): number {
  const open = pattern.indexOf('{');
  const close = open < 0 ? -1 : closing(pattern, open);
  const parts = close < 0 ? [] : alternatives(pattern.slice(open + 1, close));
  if (parts.length < 2) return 1;
  return parts.reduce((sum, part) => sum + spread(part), 0) * spread(pattern.slice(close + 1));
}

/** The class of characters that begins at a place of a part, brackets included; undefined where none does. */
function classAt(part: string, at: number): string | undefined {
  const close = part[at] === '[' ? part.indexOf(']', at + 2) : -1;
  return close < 0 ? undefined : part.slice(at, close + 1);
}

function classPattern(written: string): string {
  const inner = written.slice(1, -1);
  const not = /^[!^]/.test(inner);
  return `[${not ? '^' : ''}${inner.slice(not ? 1 : 0).replace(/[\\\]^[]/g, '\\$&')}]`;
}

/** A name that begins with a dot is hidden: patterns of files match the dot only where they say it. */
const notHidden = '(?!\\.)';

/** One part of a path: `*` and `?` stand for anything, `[a-z]` and `[!a-z]` for one character. */
function partPattern(part: string): string {
  let made = /^[*?]/.test(part) || classAt(part, 0) ? notHidden : '';
  for (let at = 0; at < part.length; at++) {
    const character = part[at]!;
    const written = classAt(part, at);
    if (character === '*') made += '[^/]*';
    else if (character === '?') made += '[^/]';
    else if (written !== undefined) {
      made += `(?!/)${classPattern(written)}`;
      at += written.length - 1;
    } else made += literal(character);
  }
  return made;
}

/** The first class of a pattern with a range that runs backwards, such as `[z-a]`; undefined where none does. */
export function wrongRange(pattern: string): string | undefined {
  for (const part of expanded(pattern).flatMap((each) => each.split('/')))
    for (let at = 0; at < part.length; at++) {
      const written = classAt(part, at);
      if (written === undefined) continue;
      try {
        void new RegExp(classPattern(written), 'u');
      } catch {
        return written;
      }
      at += written.length - 1;
    }
  return undefined;
}

/**
 * Whether a name fits a pattern, by the signs that patterns of files have: `**` as a whole part stands for any folders. Fails with
 * `SyntaxError` where `wrongRange` finds one.
 */
export function createGlob(pattern: string): (name: string) => boolean {
  const made = expanded(pattern).map((each) => {
    const parts = each.split('/');
    return parts
      .map((part, at) => {
        const last = at === parts.length - 1;
        if (part === '**') return last ? `${notHidden}(?:(?!/\\.).)+` : `(?:${notHidden}[^/]+/)*`;
        return partPattern(part) + (last ? '' : '/');
      })
      .join('');
  });
  const expression = new RegExp(`^(?:${made.join('|')})$`, 'su');
  return (name) => expression.test(name);
}
