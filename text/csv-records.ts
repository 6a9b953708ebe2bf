/** A cell of CSV, and where it begins, from 1. */
export type CsvCell = { text: string; line: number; column: number };

/** What stands between the cells: a comma, unless the first line has none and one of the others that programs write. */
export const delimiterOf = (text: string): ',' | ';' | '\t' => {
  const [first = ''] = text.split('\n', 1);
  return first.includes(',') ? ',' : first.includes(';') ? ';' : first.includes('\t') ? '\t' : ',';
};

/** The records of a CSV text (RFC 4180), without those that are empty; or where a quote begins that nothing ends. */
export function csvRecords(text: string, delimiter = ','): CsvCell[][] | { unended: { line: number; column: number } } {
  const records: CsvCell[][] = [];
  let record: CsvCell[] = [];
  let line = 1;
  let lineStart = 0;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const newline = (): void => {
    line++;
    lineStart = at + 1;
  };
  for (;;) {
    const cell: CsvCell = { text: '', line, column: at - lineStart + 1 };
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (at >= text.length) return { unended: { line: cell.line, column: cell.column } };
        if (text[at] === '"') at++;
        if (text[at] === '\n') newline();
        cell.text += text[at];
      }
      at++;
    }
    for (; at < text.length && text[at] !== delimiter && text[at] !== '\n'; at++) cell.text += text[at] === '\r' ? '' : text[at];
    record.push(cell);
    if (text[at] === delimiter) {
      at++;
      continue;
    }
    if (record.some((each) => each.text !== '')) records.push(record);
    record = [];
    if (at >= text.length) return records;
    newline();
    at++;
  }
}
