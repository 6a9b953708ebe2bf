/** A record at the start of a CSV file, the line in which it begins, counted from 1, and how many records stand above it. */
export type CsvRecord = { line: number; above: number; fields: string[] };

/** `escape`: before a quote within a value; by default a second quote. */
type Characters = { delimiter: string; quote: string; escape?: string | undefined };

const most = 100;

/**
 * The records of a text, as RFC 4180 has them, each with the place and the line behind it; the last one may be cut off, which `isCut`
 * says. A quote within a field that none opened stands for itself.
 */
function* recordsOf(
  text: string,
  { delimiter, quote, escape = quote }: Characters,
): Generator<{ record: CsvRecord; end: number; next: number; isCut: boolean }> {
  let [line, at, above] = [1, 0, 0];
  while (at < text.length) {
    const record: CsvRecord = { line, above, fields: [] };
    for (;;) {
      let field = '';
      // The engine lets one blank stand before the first quote of a value.
      const blanks = text[at] === ' ' ? 1 : 0;
      if (quote !== '' && text[at + blanks] === quote) {
        for (at += blanks + 1; at < text.length; at += 1) {
          const isEscaped = text[at] === escape && (escape !== quote || text[at + 1] === quote);
          if (text[at] === quote && !isEscaped) break;
          if (isEscaped) at += 1;
          if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) line += 1;
          field += text[at];
        }
        at += 1;
      }
      for (; at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r'; at += 1) field += text[at];
      record.fields.push(field);
      if (text[at] !== delimiter) break;
      at += 1;
    }
    const isCut = at >= text.length;
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    line += 1;
    above += 1;
    yield { record, end: at, next: line, isCut };
  }
}

/** The first records of a text; one that the text may have cut off is left out. `isWhole`: the text is all of the file. */
export function firstRecords(text: string, { isWhole, ...characters }: Characters & { isWhole: boolean }): CsvRecord[] {
  const records: CsvRecord[] = [];
  for (const { record, isCut } of recordsOf(text, characters)) {
    if (isCut && !isWhole) break;
    records.push(record);
    if (records.length === most) break;
  }
  return records;
}

/**
 * A text without its first records, and the lines that those take: `skip` of the engine counts records, blank lines among them, and a
 * line break within quotes ends none. Where a quote is never closed these are lines: nothing would be left.
 */
export function behindRecords(text: string, skip: number, characters: Characters): { text: string; lines: number } {
  if (skip === 0) return { text, lines: 0 };
  for (const { record, end, next, isCut } of recordsOf(text, characters))
    if (record.above === skip - 1 && !isCut) return { text: text.slice(end), lines: next - 1 };
  return { text: behindLines(text, skip), lines: skip };
}

function behindLines(text: string, lines: number): string {
  const end = /\r\n|\r|\n/g;
  for (let line = 0; line < lines; line++) if (!end.test(text)) return '';
  return text.slice(end.lastIndex);
}
