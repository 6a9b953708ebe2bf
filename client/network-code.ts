/** Codes by which Node refuses a request before there is a connection: HTTP cannot carry what its headers, method or address hold. */
export const unsendable: ReadonlySet<string> = new Set([
  'ERR_INVALID_CHAR',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_INVALID_URL',
  'ERR_INVALID_PROTOCOL',
]);

/** Codes of failures after which nothing can have reached the service. */
export const unsent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNTIMEOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  ...unsendable,
]);

/** Whether a request that failed so has never left: by its code, or because there was no connection yet. */
export const neverSent = (error: unknown, code: string): boolean =>
  unsent.has(code) || (error instanceof Error && 'unsent' in error && error.unsent === true);

/** The code alone: messages and causes of network errors may quote headers. */
export function networkCode(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof AggregateError) return networkCode(at.errors[0]);
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return 'network';
}
