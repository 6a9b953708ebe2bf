import { controls } from '../../text/controls.ts';

/** Colours are ours: what came from elsewhere has lost its own before they are added. */
const colour = '\\x1b\\[[0-9;]*m';

/** A drawn block: up over the last one, each line erased to its end, what is left below erased. */
const block = /^(\x1b\[\d+A)?([\s\S]*\x1b\[K\n)(\x1b\[J)?$/;

// Bells, carriage returns, cursor moves, titles, links, the one-byte forms of them, and what turns a line around.
const others = new RegExp(`(${colour})|[${controls}]`, 'g');

const withoutOthers = (text: string): string => text.replace(others, (_, kept?: string) => kept ?? '');

/**
 * Text as a terminal may show it: whatever came from files and services has lost its control characters. Line ends, tabs,
 * colours and the drawing of a block over itself are left.
 */
export function printable(text: string): string {
  const drawn = block.exec(text);
  if (!drawn) return withoutOthers(text);
  const [, up = '', lines = '', down = ''] = drawn;
  return `${up}${lines.split('\x1b[K\n').map(withoutOthers).join('\x1b[K\n')}${down}`;
}
