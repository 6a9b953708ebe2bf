const encoder = new TextEncoder();

/** Bytes of a text in UTF-8, also in the workflow sandbox, which has no `Buffer`. */
export const utf8Bytes = (text: string): number => encoder.encode(text).byteLength;
