/** That the text calls a request deprecated, and the one that it names in its place, as a template; null where it names none. */
export type Deprecated = { readonly instead: string | null };

/** What to do about it, as a phrase. */
export const sayDeprecated = ({ instead }: Deprecated): string =>
  `deprecated: ${instead === null ? 'the text names no other operation for the same' : `send ${instead}`}`;

/** The request that is sent in place of one to a former path: fields that stood there, and stand nowhere in the path now, are its query. */
export const insteadOf = (
  { method, path, query = {} }: { readonly method: string; readonly path: string; readonly query?: object },
  former: string,
): string => {
  const moved = Object.keys(query).filter((field) => former.includes(`{${field}}`) && !path.includes(`{${field}}`));
  return `${method} ${path}${moved.length === 0 ? '' : `?${moved.map((field) => `${field}={${field}}`).join('&')}`}`;
};
