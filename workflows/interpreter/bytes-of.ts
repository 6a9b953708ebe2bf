import { utf8Bytes } from '../../text/utf8-bytes.ts';

/** Bytes of a value as JSON, as the server counts them. */
export const bytesOf = (value: unknown): number => utf8Bytes(JSON.stringify(value) ?? '');
