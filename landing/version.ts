import type { IncomingHttpHeaders } from 'node:http';

/** By what a server knows a version of a file. */
export type Version = { etag?: string; lastModified?: string };

export const versionOf = ({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): Version => ({
  ...(etag !== undefined && { etag }),
  ...(lastModified !== undefined && { lastModified }),
});

/** The tag of a version whose bytes may be put together from several answers (RFC 9110 §8.8.1). */
export const strongTag = ({ etag }: Version): string | undefined => (etag?.startsWith('W/') ? undefined : etag);

export const isSame = (one: Version, other: Version): boolean =>
  one.etag === undefined && other.etag === undefined ? one.lastModified === other.lastModified : one.etag === other.etag;

/**
 * Asks for a file unless it is of this version; nothing where only a tag could say so: `If-Modified-Since` is not asked for, to which a
 * file that was replaced by an older one, or within the same second, is the same.
 */
export const unless = ({ etag }: Version): Record<string, string> => (etag === undefined ? {} : { 'if-none-match': etag });

/** Asks for a file if it is of this version; nothing where no condition can say so. */
export const only = (version: Version): Record<string, string> => {
  const tag = strongTag(version);
  return tag === undefined ? {} : { 'if-match': tag };
};
