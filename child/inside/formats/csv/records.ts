/** A record at the start of a CSV file, and the line in which it begins, counted from 1. */
export type CsvRecord = { line: number; fields: string[] };

const most = 100;

/**
 * The first records of a text, as RFC 4180 has them; one that the text may have cut off is left out. `isWhole`: the text is all of
 * the file. A quote within a field that none opened stands for itself.
 */
export function firstRecords(
  text: string,
  { delimiter, quote, isWhole }: { delimiter: string; quote: string; isWhole: boolean },
): CsvRecord[] {
  const records: CsvRecord[] = [];
  let [line, at] = [1, 0];
  while (at < text.length && records.length < most) {
    const record: CsvRecord = { line, fields: [] };
    for (;;) {
      let field = '';
      if (quote !== '' && text[at] === quote) {
        for (at += 1; at < text.length; at += 1) {
          if (text[at] === quote && text[at + 1] !== quote) break;
          if (text[at] === quote) at += 1;
          if (text[at] === '\n') line += 1;
          field += text[at];
        }
        at += 1;
      }
      for (; at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r'; at += 1) field += text[at];
      record.fields.push(field);
      if (text[at] !== delimiter) break;
      at += 1;
    }
    if (at >= text.length && !isWhole) break;
    records.push(record);
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    line += 1;
  }
  return records;
}
