/** A text of a file without the byte order mark that some editors begin it with: JSON knows none. */
export const withoutByteOrderMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);
