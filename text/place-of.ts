/** A place in a text, from 1. */
export type Place = { line: number; column: number };

/** Where the text of a function stands in the source of its file, whose types were blanked out when it was loaded; undefined where it is not there. */
export function placeOf(source: string, text: string): Place | undefined {
  for (let offset = 0; offset + text.length <= source.length; offset++) if (standsAt(source, offset, text)) return placeAt(source, offset);
  return undefined;
}

/** Where a pattern first stands in the source; the first line where it does not. */
export function placeOfMatch(source: string, pattern: RegExp): Place {
  const at = source.search(pattern);
  return placeAt(source, Math.max(0, at));
}

/** A blanked type is spaces, or a semicolon where the next line would be read as part of the one before. */
function standsAt(source: string, offset: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char !== source[offset + at] && char !== ' ' && char !== ';') return false;
  }
  return true;
}

function placeAt(source: string, offset: number): Place {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
