import { z } from 'zod';

/** What a browser only shows or saves: kinds whose every type is so, and single types. What it might run is not among them. */
const passive = {
  kinds: ['image', 'audio', 'video', 'font'],
  types: [
    'text/plain',
    'text/csv',
    'text/markdown',
    'text/tab-separated-values',
    'application/json',
    'application/octet-stream',
    'application/pdf',
    'application/zip',
    'application/gzip',
  ],
};

/** A type, and the encoding of a text: nothing else of a media type (RFC 9110, 8.3.1) says how bytes are shown. */
const form = /^([a-z]+)\/[a-z0-9][\w.+-]{0,99}(; ?charset=[\w.:-]{1,40})?$/;

function isPassive(given: string): boolean {
  const [type] = given.split(';') as [string];
  const kind = form.exec(given)?.[1];
  if (kind === undefined || type.includes('xml')) return false;
  return passive.kinds.includes(kind) || passive.types.includes(type);
}

/** A media type under which bytes of anybody may be served: SVG is XML and runs scripts. */
export const passiveType = z
  .string()
  .toLowerCase()
  .refine(isPassive, {
    error: ({ input }) =>
      `is ${JSON.stringify(input).slice(0, 100)}: a blob is served as ${passive.kinds.map((kind) => `${kind}/…`).join(', ')} (no XML), ${passive.types.join(', ')}, each alone or with '; charset=NAME', and as nothing that a browser may run; name one of these, or leave content_type out`,
  });
