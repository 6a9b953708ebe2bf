import type { Locate, Path, Position } from '../findings.ts';
import type { Json } from '../../../text/json.ts';
import { placeKey, type Located } from './values.ts';
import { written } from './write.ts';

/** Places of a text that was read; `lines` gives line and column of an offset in the file as the user wrote it. */
export function createLocate(places: ReadonlyMap<string, Located>, text: string, lines: (offset: number) => Position): Locate {
  /** The place itself, or that of the nearest parent that is there. */
  const find = (path: Path): Located | undefined => {
    for (let length = path.length; length >= 0; length--) {
      const place = places.get(placeKey(path.slice(0, length)));
      if (place) return place;
    }
    return undefined;
  };
  return {
    key: (path) => lines(find(path)?.key ?? 0),
    value: (path, offset) => {
      const place = find(path);
      if (!place) return lines(0);
      return lines(offset === undefined ? place.value : inside(place, offset, text));
    },
    rewritten: (path, by) => {
      const place = places.get(placeKey(path));
      return place && rewrite(place, by, text);
    },
    line: (line) => text.split('\n')[line - 1]?.replace(/\r$/, ''),
  };
}

function rewrite({ key, keyEnd, value, end, flow }: Located, by: Parameters<Locate['rewritten']>[1], text: string): string | undefined {
  const isKey = 'key' in by;
  // A value that is not there stands behind the colon of its field.
  const empty = !isKey && value === end;
  const start = isKey ? key : empty ? text.indexOf(':', keyEnd) + 1 : value;
  const stop = isKey ? keyEnd : empty ? start : value + text.slice(value, end).trimEnd().length;
  const before = text.slice(start, stop);
  // A list below its field: alone on its line the new value would not belong to it.
  if (!isKey && before.startsWith('- ') && text.slice(keyEnd, start).includes('\n')) return undefined;
  if (before.includes('\n') || (isKey && keyEnd === key)) return undefined;
  const quoted = (isKey ? before : text.slice(key, keyEnd)).startsWith('"');
  const meant = isKey ? by.key : by.value;
  const made = quoted ? JSON.stringify(meant) : (inQuotesOf(before, meant) ?? written(meant, flow));
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const eol = text.indexOf('\n', stop);
  const lineEnd = eol < 0 ? text.length : eol;
  const line = `${text.slice(lineStart, start)}${empty ? ' ' : ''}${made}${text.slice(stop, lineEnd)}`;
  // What stands there already is no correction.
  return line === text.slice(lineStart, lineEnd) ? undefined : line.replace(/\r$/, '');
}

/** A text in the quotes that stood there: a line changes by what is wrong in it, so that corrections of one line can be put together. */
function inQuotesOf(before: string, meant: Json): string | undefined {
  if (typeof meant !== 'string' || meant.includes('\n')) return undefined;
  if (before.startsWith("'")) return `'${meant.replaceAll("'", "''")}'`;
  return before.startsWith('"') ? JSON.stringify(meant) : undefined;
}

/** Where a character of a scalar's value stands in the source: exact where the same text is there, else its start. */
function inside({ value, end, node }: Located, offset: number, text: string): number {
  const content = node !== null && 'value' in node && typeof node.value === 'string' ? node.value : '';
  const source = text.slice(value, end);
  const line = content.slice(content.lastIndexOf('\n', Math.max(0, offset - 1)) + 1).split('\n', 1)[0]!;
  const lineStart = content.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
  const nth = content.slice(0, lineStart).split(line).length - 1;
  let found = -1;
  for (let index = 0; index <= nth; index++) {
    const next = source.indexOf(line, found + 1);
    if (next < 0) break;
    found = next;
  }
  return found < 0 || line === '' ? value : value + found + offset - lineStart;
}
