/** A cell of CSV, and where it begins, from 1. */
export type CsvCell = { text: string; line: number; column: number };

/** The records of a CSV text (RFC 4180), without those that are empty; or where a quote begins that nothing ends. */
export function csvRecords(text: string): CsvCell[][] | { unended: { line: number; column: number } } {
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
    for (; at < text.length && text[at] !== ',' && text[at] !== '\n'; at++) cell.text += text[at] === '\r' ? '' : text[at];
    record.push(cell);
    if (text[at] === ',') {
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
