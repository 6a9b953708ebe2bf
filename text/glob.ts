/** True of a text that may stand for several names. */
export const isGlob = (text: string): boolean => /[*?[{]/.test(text);

/** What every name that a pattern matches begins with. */
export const fixedPart = (pattern: string): string => pattern.slice(0, pattern.search(/[*?[{]|$/));

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

/** One part of a path: `*` and `?` stand for anything, `[a-z]` and `[!a-z]` for one character. */
function partPattern(part: string): string {
  let made = '';
  for (let at = 0; at < part.length; at++) {
    const character = part[at]!;
    const close = character === '[' ? part.indexOf(']', at + 2) : -1;
    if (character === '*') made += '[^/]*';
    else if (character === '?') made += '[^/]';
    else if (close > 0) {
      const inner = part.slice(at + 1, close);
      const not = /^[!^]/.test(inner);
      made += `(?!/)[${not ? '^' : ''}${inner.slice(not ? 1 : 0).replace(/[\\\]^[]/g, '\\$&')}]`;
      at = close;
    } else made += literal(character);
  }
  return made;
}

/** Whether a name fits a pattern, by the signs that patterns of files have: `**` as a whole part stands for any folders. */
export function createGlob(pattern: string): (name: string) => boolean {
  const made = expanded(pattern).map((each) => {
    const parts = each.split('/');
    return parts
      .map((part, at) => {
        const last = at === parts.length - 1;
        if (part === '**') return last ? '.+' : '(?:[^/]+/)*';
        return partPattern(part) + (last ? '' : '/');
      })
      .join('');
  });
  const expression = new RegExp(`^(?:${made.join('|')})$`, 'su');
  return (name) => expression.test(name);
}
