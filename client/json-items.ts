const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const open = new Set([0x5b, 0x7b]);
const close = new Set([0x5d, 0x7d]);

/** What may stand before the list: nothing, or an object that begins with it. */
const beforeList = /^\s*(?:\{\s*"[^"\\]*"\s*:\s*)?\[$/;

/** Bytes looked at for the beginning of the list. */
const headBytes = 1_024;

/**
 * The members of the list that a JSON answer is, or begins with, in batches as they arrive: a long list is never held
 * whole, neither as text nor as values. Any other answer comes as one batch with the value itself. Throws `SyntaxError` where
 * it is not JSON or ends too early.
 */
export async function* jsonItems(body: AsyncIterable<Uint8Array>): AsyncGenerator<{ items: unknown[] } | { value: unknown }> {
  const decoder = new TextDecoder();
  let pending: Uint8Array = new Uint8Array(0);
  let inList = false;
  let ended = false;
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** Bytes of `pending` that have been looked at. */
  let at = 0;

  /** Looks at what has come; answers the end of the last whole member, and notes the end of the list. */
  const scan = (): number => {
    let cut = -1;
    for (; at < pending.length; at++) {
      const byte = pending[at]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === comma && depth === 0) cut = at;
      else if (open.has(byte)) depth++;
      else if (close.has(byte) && --depth < 0) {
        ended = true;
        return at;
      }
    }
    return cut;
  };
  const parse = (bytes: Uint8Array): unknown[] => JSON.parse(`[${decoder.decode(bytes)}]`) as unknown[];

  for await (const chunk of body) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (!inList && !ended) {
      const start = pending.indexOf(0x5b);
      if (start === -1 || start > headBytes || !beforeList.test(decoder.decode(pending.subarray(0, start + 1)))) continue;
      pending = pending.subarray(start + 1);
      inList = true;
    }
    if (ended) continue;
    const cut = scan();
    if (cut === -1) continue;
    const items = parse(pending.subarray(0, cut));
    pending = pending.subarray(cut + 1);
    // What is left has been looked at already.
    at = pending.length;
    if (items.length > 0) yield { items };
  }
  if (inList && !ended) throw new SyntaxError('the list has no end');
  if (!inList) yield { value: pending.length === 0 ? null : (JSON.parse(decoder.decode(pending)) as unknown) };
}
