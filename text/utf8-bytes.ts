const twoBytes = /[\u0080-\u07ff]/g;
const threeBytes = /[\u0800-\ud7ff\ue000-\uffff]/g;
/** Each half of a pair; both together are four bytes. */
const halves = /[\ud800-\udfff]/g;

const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0;

/** Bytes of a well-formed text in UTF-8. Pure, also in the workflow sandbox, which has no `Buffer`. */
export const utf8Bytes = (text: string): number =>
  // Most texts are plain, and engines see at once that they hold nothing else.
  /[^\0-\x7f]/.test(text) ? text.length + count(text, twoBytes) + count(text, halves) + 2 * count(text, threeBytes) : text.length;
