import { z } from 'zod';
import { durationPattern, durationRule } from '../text/duration.ts';
import { sizePattern, sizeRule } from '../text/size.ts';
import { secretName } from './channel-schema.ts';
import { isLoopbackUrl } from './loopback-url.ts';

/** A name of yours for a place that has sources. */
const placeName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, 'a storage or database is named by lower case letters, digits and dashes, beginning with a letter');

const endpoint = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL, as in https://host' }).superRefine((value, context) => {
  // A value that is no URL has its own finding already.
  if (!URL.canParse(value)) return;
  const { username, password, search, hash, pathname } = new URL(value);
  if (username !== '' || password !== '')
    context.addIssue({ code: 'custom', message: 'must not hold a user or password: name them under `secrets`' });
  if (search !== '' || hash !== '' || pathname !== '/')
    context.addIssue({ code: 'custom', message: 'must end behind the host: buckets stand in the addresses of sources' });
});

const storage = z
  .strictObject({
    region: z
      .string()
      .regex(/^[a-z0-9-]+$/, 'a region such as eu-central-1')
      .default('us-east-1')
      .describe('Region of its buckets, by which requests are signed.'),
    endpoint: endpoint
      .optional()
      .describe('Where it is, if not at AWS: `https://minio.internal:9000`. A host that stands here is reached, public or not.'),
    tls: z
      .literal('none')
      .optional()
      .describe('`none`: an `endpoint` of another machine may begin with `http://`, and everyone on the way reads. Default: encrypted.'),
    pathStyle: z
      .boolean()
      .optional()
      .describe('Whether a bucket stands in the path of a URL, not in its host; default: where there is an `endpoint`.'),
    secrets: z
      .strictObject({
        keyId: secretName.describe('Name of the secret with the access key id.'),
        key: secretName.describe('Name of the secret with the secret access key.'),
        token: secretName.optional().describe('Name of the secret with the session token, of keys that are lent for a time.'),
      })
      .optional()
      .describe('By which requests are signed, each by its name under `secrets`; without them they are not: public buckets alone.'),
  })
  .superRefine(({ endpoint: at, tls }, context) => {
    if (at === undefined || tls === 'none' || !URL.canParse(at) || new URL(at).protocol !== 'http:' || isLoopbackUrl(at)) return;
    const message =
      "must begin with https://: over plain http everyone on the way reads what is sent; where that is meant, say so: tls: 'none'";
    context.addIssue({ code: 'custom', path: ['endpoint'], message });
  })
  .describe('S3-compatible storage.');

const database = z
  .strictObject({
    host: z
      .string()
      .regex(/^[^\s/@]+$/, 'the name or address of a host')
      .describe('Where it is. A host that stands here is reached, public or not.'),
    port: z.int().min(1).max(65_535).default(5432).describe('Port of the server.'),
    database: z.string().min(1).describe('Name of the database.'),
    user: z.string().min(1).describe('Who reads: a user with rights to read, and no more, is best.'),
    secret: secretName.optional().describe("Name of the secret with the user's password; without it the server must not ask for one."),
    tls: z
      .enum(['verify', 'none'])
      .optional()
      .describe(
        "Encryption, by a certificate of the host's name; `none`: everyone on the way reads. Default: `verify`, on this machine `none`.",
      ),
    ca: z.string().min(1).optional().describe('File of the certificates that sign that of the server, where it is no public one.'),
    timeout: z.string().regex(durationPattern, durationRule).default('10m').describe('Longest time in which nothing comes.'),
  })
  .describe('A PostgreSQL database.');

export const sourcesSchema = z.strictObject({
  allow: z
    .array(z.string().regex(/^[^\s/@]+$/, 'the name of a host, or host:port'))
    .default([])
    .describe('Hosts that sources may be fetched from though they have no public address: `files.internal`, `localhost:9000`.'),
  most: z
    .string()
    .regex(sizePattern, sizeRule)
    .default('20GB')
    .describe('Largest file that is fetched; of a pattern of objects, all of them together.'),
  postgres: z.record(placeName, database).default({}).describe('PostgreSQL databases by a name of yours, which sources name.'),
  s3: z.record(placeName, storage).default({}).describe('S3-compatible storages by a name of yours: where `s3://bucket/key` is.'),
});
