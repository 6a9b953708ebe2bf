import { utf8Bytes } from '../../text/utf8-bytes.ts';

/** Bytes of a value that the server takes as one, and some less: it takes 2 MiB. */
export const mostAtOnce = 2_000_000;

/** Bytes of a value as JSON, as the server counts them. */
export const bytesOf = (value: unknown): number => utf8Bytes(JSON.stringify(value) ?? '');
