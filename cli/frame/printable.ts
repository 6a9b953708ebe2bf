/** Colours are ours; a value cannot do harm with them. */
const colour = '\\x1b\\[[0-9;]*m';

/** A drawn block: up over the last one, each line erased to its end, what is left below erased. */
const block = /^(\x1b\[\d+A)?([\s\S]*\x1b\[K\n)(\x1b\[J)?$/;

// Bells, carriage returns, cursor moves, titles, links, and the one-byte forms of them.
const others = new RegExp(`(${colour})|[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]`, 'g');

const withoutControls = (text: string): string => text.replace(others, (_, kept?: string) => kept ?? '');

/**
 * Text as a terminal may show it: whatever came from files and services has lost its control characters. Line ends, tabs,
 * colours and the drawing of a block over itself are left.
 */
export function printable(text: string): string {
  const drawn = block.exec(text);
  if (!drawn) return withoutControls(text);
  const [, up = '', lines = '', down = ''] = drawn;
  return `${up}${lines.split('\x1b[K\n').map(withoutControls).join('\x1b[K\n')}${down}`;
}
