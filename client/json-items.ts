const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const open = new Set([0x5b, 0x7b]);
const close = new Set([0x5d, 0x7d]);

/** What stands before the list is short; so is one member, and what stands behind the list. */
const longestPiece = 16 * 1_024 * 1_024;

/** Members of a list, or in the end the whole answer with an empty list in the list's place. */
export type JsonPart = { items: unknown[] } | { rest: unknown };

/**
 * The members of the list that a JSON answer is, or that an object holds under the name `under`, in batches as they
 * arrive: a long list is never held whole, neither as text nor as values. The last part is the answer without the members, for
 * the contract to check; an answer without such a list is this part alone. Throws `SyntaxError` where it is not JSON, ends
 * too early, or holds a piece of more than 16 MiB.
 */
export async function* jsonItems(body: AsyncIterable<Uint8Array>, under: string): AsyncGenerator<JsonPart> {
  const decoder = new TextDecoder();
  let pending: Uint8Array = new Uint8Array(0);
  let before: string | undefined;
  let members: MemberScan | undefined;
  let noList = false;
  for await (const chunk of body) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (pending.length > longestPiece) throw new SyntaxError(`a piece of it is longer than ${longestPiece} bytes`);
    if (before === undefined && !noList) {
      const begins = beginOfList(pending, under);
      if (begins === 'more') continue;
      if (begins === 'none') {
        noList = true;
        continue;
      }
      before = decoder.decode(pending.subarray(0, begins));
      pending = pending.subarray(begins);
      members = scanMembers();
    }
    if (!members || members.ended) continue;
    const cut = members.scan(pending);
    if (cut === -1) continue;
    const items = JSON.parse(`[${decoder.decode(pending.subarray(0, cut))}]`) as unknown[];
    pending = pending.subarray(members.ended ? cut : cut + 1);
    members.at = pending.length;
    if (items.length > 0) yield { items };
  }
  if (members && !members.ended) throw new SyntaxError('the list has no end');
  const text = (before ?? '') + decoder.decode(pending);
  yield { rest: text === '' ? null : (JSON.parse(text) as unknown) };
}

type MemberScan = {
  /** Bytes that have been looked at. */
  at: number;
  ended: boolean;
  /** The end of the last whole member, which is a comma or the end of the list; -1 where none has ended. */
  scan(bytes: Uint8Array): number;
};

/** Finds the ends of members in the text of a list that grows at its end and is cut at its beginning. */
function scanMembers(): MemberScan {
  let depth = 0;
  let inString = false;
  let escaped = false;
  return {
    at: 0,
    ended: false,
    scan(bytes) {
      let cut = -1;
      for (; this.at < bytes.length; this.at++) {
        const byte = bytes[this.at]!;
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === backslash) escaped = true;
          else if (byte === quote) inString = false;
        } else if (byte === quote) inString = true;
        else if (byte === comma && depth === 0) cut = this.at;
        else if (open.has(byte)) depth++;
        else if (close.has(byte) && --depth < 0) {
          this.ended = true;
          return this.at;
        }
      }
      return cut;
    },
  };
}

/** Behind the bracket with which the list begins; `none`: there will be none; `more`: it cannot be said yet. */
function beginOfList(bytes: Uint8Array, under: string): number | 'none' | 'more' {
  // What is looked for is ASCII: positions of characters are positions of bytes.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const key = JSON.stringify(under);
  let at = skip(/\s*/y, text, 0);
  if (at === text.length) return 'more';
  if (text[at] === '[') return at + 1;
  if (text[at] !== '{') return 'none';
  for (at += 1; ;) {
    const name = /\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;
    name.lastIndex = at;
    const found = name.exec(text);
    if (!found) return /^\s*\}/.test(text.slice(at)) ? 'none' : 'more';
    at = name.lastIndex;
    if (at === text.length) return 'more';
    if (found[1] === key && text[at] === '[') return at + 1;
    const end = endOfValue(text, at);
    if (end === undefined) return 'more';
    if (text[end] === '}') return 'none';
    at = end + 1;
  }
}

/** The comma or brace behind a value; undefined where it has not come. */
function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      const end = skip(/"(?:[^"\\]|\\.)*"/y, text, at);
      if (end === at) return undefined;
      at = end - 1;
    } else if (char === '[' || char === '{') depth++;
    else if (depth === 0 && (char === ',' || char === '}')) return at;
    else if (char === ']' || char === '}') depth--;
  }
  return undefined;
}

/** Behind what the pattern matches here; the same place where it does not. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
