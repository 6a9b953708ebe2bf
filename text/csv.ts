/** A cell of CSV (RFC 4180); lists and objects as JSON. What is absent is empty. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of CSV with its end. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\n`;
