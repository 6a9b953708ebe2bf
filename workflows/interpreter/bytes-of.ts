/** Bytes of a value as JSON, or some more: of characters beyond ASCII each counts as three. The server counts bytes. */
export function bytesOf(value: unknown): number {
  const text = JSON.stringify(value) ?? '';
  return text.length + 2 * (text.match(/[^\0-\x7f]/g)?.length ?? 0);
}
