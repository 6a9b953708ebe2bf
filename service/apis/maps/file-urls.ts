/**
 * Schemes of the URLs by which uploaded files are named, each in a field of its own of the answer: the text's, and that of the hosted
 * service's public clients, which refuse any other.
 */
const schemes = ['svc', 'nomic'] as const;

/** `svc_url: svc://files/ID`, in each scheme. */
export const fileUrls = (fileId: string): Record<`${(typeof schemes)[number]}_url`, string> => ({
  svc_url: `svc://files/${fileId}`,
  nomic_url: `nomic://files/${fileId}`,
});

/** The id of an uploaded file that a URL names; undefined where it is of another scheme. */
export const fileIdOf = (url: string): string | undefined =>
  schemes.map((scheme) => `${scheme}://`).some((start) => url.startsWith(start)) ? (url.split('://files/')[1] ?? '') : undefined;
