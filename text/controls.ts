/**
 * Control characters, as the inside of a character class: those of terminals, but for tabs and line feeds, and those that turn the direction
 * of a text, by which what stands there reads as something else.
 */
export const controls = '\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

const all = new RegExp(`[${controls}]`, 'g');

/** Text of others without control characters: it neither draws, colours, nor stands in another order than it has. */
export const withoutControls = (text: string): string => text.replace(all, '');

/** The same on one line. */
export const plain = (text: string): string => withoutControls(text).replace(/[\t\n]/g, ' ');
