import type { Address } from './addresses.ts';

/** The date of the header where the text names none: the epoch, for as long as anybody can tell. */
const sinceEver = '@0';

/**
 * What an answer says of a deprecated address: the header of RFC 9745, and where one replaces it a link to that with the fields of this
 * request (RFC 5829).
 */
export const deprecationHeaders = ({ deprecated }: Address, params: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  if (deprecated === undefined) return {};
  if (deprecated.instead === null) return { deprecation: sinceEver };
  const template = deprecated.instead.slice(deprecated.instead.indexOf(' ') + 1);
  const target = template.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(params[field] ?? ''));
  return { deprecation: sinceEver, link: `<${target}>; rel="successor-version"` };
};
