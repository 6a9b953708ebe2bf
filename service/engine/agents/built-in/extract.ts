/** What can be found in a text: the words that ask for it, and its form. */
export const kinds = {
  emails: {
    words: /\be-?mails?\b|\bmail addresses\b/i,
    form: /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu,
  },
  urls: { words: /\burls?\b|\blinks?\b|\bweb addresses\b/i, form: /https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:]/g },
  dates: {
    words: /\bdates?\b|\bdeadlines?\b/i,
    form: /\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December) (?:\d{1,2}, )?\d{4}\b/g,
  },
  amounts: {
    words: /\bamounts?\b|\bprices?\b|\bcosts?\b|\bsums of money\b/i,
    form: /(?:[$€£] ?\d[\d.,]*\d|[$€£] ?\d|\b\d[\d.,]{0,30} ?(?:USD|EUR|GBP|dollars|euros)\b)/g,
  },
  phones: {
    words: /\bphones?\b|\bphone numbers?\b|\btelephones?\b/i,
    form: /(?:\+\d{1,3}[ -]?)?(?:\(\d{2,5}\) ?|\d{2,5}[ -])\d{3,4}[ -]\d{3,5}\b/g,
  },
  numbers: {
    words: /\bnumbers\b|\bfigures\b|\bmeasurements?\b/i,
    form: /(?<![\p{L}\p{N}_])-?\d+(?:[.,]\d+)*(?:\s?(?:%|mm|cm|m|km|kg|g|t|kW|MW|ft|in)\b)?/gu,
  },
  fields: { words: /\bfields\b|\bkey[ -]value\b|\bproperties\b/i, form: /^[ \t]*[\p{L}][\p{L}\p{N} _/-]{0,40}:[ \t]+\S.*$/gmu },
  headings: { words: /\bheadings?\b|\bchapters?\b|\btable of contents\b/i, form: /^#{1,6} .+$|^\d+(?:\.\d+)*\.? \p{Lu}.{2,80}$/gmu },
} as const;

export type Kind = keyof typeof kinds;

/** One thing that was found: in which text, and on which line, from 1. */
export type Found = { kind: Kind; value: string; source: string; line: number };

/** All things of a kind in a text, each value once, in their order. */
export const extract = (kind: Kind, { name, text }: { name: string; text: string }): Found[] => {
  const found = new Map<string, Found>();
  let line = 1;
  let at = 0;
  for (const match of text.matchAll(kinds[kind].form)) {
    for (; at < match.index; at++) if (text.charCodeAt(at) === 10) line++;
    const value = match[0].trim();
    if (!found.has(value)) found.set(value, { kind, value, source: name, line });
  }
  return [...found.values()];
};
