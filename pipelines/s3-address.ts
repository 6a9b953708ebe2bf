import { spread, wrongRange } from '../text/glob.ts';

/** An object of a bucket, or a pattern of such. */
export type S3Address = { bucket: string; key: string };

export const isS3 = (text: string): boolean => /^s3:\/\//i.test(text);

/** The parts of `s3://bucket/key`. The key is as it is written: no part of it is decoded. */
export function s3Parts(text: string): S3Address {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(text) ?? [];
  return { bucket, key };
}

/** Names of buckets that may stand in the name of a host. */
const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** A part of a key that no address holds: URLs drop it. */
const dropped = /(?:^|\/)\.{1,2}(?:\/|$)/;

/** Patterns that the braces of one may stand for. */
const mostAlternatives = 1_000;

/** What is wrong with the address of an object, and what to write; undefined where nothing is. */
export function s3Problem(text: string): { message: string; remedy: string } | undefined {
  const { bucket, key } = s3Parts(text);
  const remedy = 'write it as s3://bucket/path/file.parquet, or s3://bucket/path/*.parquet';
  if (!bucketPattern.test(bucket))
    return { message: `'${bucket}' is no name of a bucket: 3 to 63 lower case letters, digits, dots and dashes`, remedy };
  if (key === '') return { message: `names the bucket ${bucket} and no object in it`, remedy };
  // eslint-disable-next-line no-control-regex -- these characters are what is looked for
  if (/[\0-\x1f\x7f]/.test(key)) return { message: 'the key of an object holds a control character here', remedy };
  if (dropped.test(key)) return { message: "the key of an object has the part '.' or '..': no address holds it", remedy };
  if (Buffer.byteLength(key) > 1_024) return { message: 'the key of an object has at most 1,024 bytes', remedy };
  const alternatives = spread(key);
  if (alternatives > mostAlternatives)
    return {
      message: `its braces stand for ${alternatives.toLocaleString('en-US')} patterns, at most ${mostAlternatives.toLocaleString('en-US')} are looked for`,
      remedy: 'write * for what many of them have in common',
    };
  const range = wrongRange(key);
  if (range !== undefined)
    return {
      message: `the range '${range}' runs backwards: no object matches it`,
      remedy: 'write the lower character first: [a-z], [0-9]',
    };
  return undefined;
}
