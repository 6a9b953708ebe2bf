import { z } from 'zod';
import { channelName, notify } from '../pipelines/notify-rule.ts';
import { channelSchema, secretName } from './channel-schema.ts';
import { isLoopbackUrl } from './loopback-url.ts';
import { sourcesSchema } from './sources-schema.ts';
import { tuningFields } from './tuning.ts';
import { serviceNames, type Service } from '../contracts/index.ts';
import { limits as published } from '../contracts/limits.ts';
import type { LimitClass } from '../contracts/limits.ts';
import { durationPattern, durationRule } from '../text/duration.ts';
import { sizePattern, sizeRule } from '../text/size.ts';

/** Name that stands for the service of `portolan dev`. */
export const localName = 'local';

const limitClasses = Object.keys(published) as [LimitClass, ...LimitClass[]];

const secretSchema = z
  .union([z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })], {
    error: "must be { env: 'NAME' } or { file: 'path' }: the value itself never stands in this file",
  })
  .describe('Where a secret value is found.');

const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL, as in https://host' }).superRefine((value, context) => {
  // A value that is no URL has its own finding already.
  if (!URL.canParse(value)) return;
  const { protocol, username, password, search, hash } = new URL(value);
  if (protocol === 'http:' && !isLoopbackUrl(value))
    context.addIssue({ code: 'custom', message: 'must begin with https://: over plain http everyone on the way reads the key' });
  if (username !== '' || password !== '')
    context.addIssue({ code: 'custom', message: 'must not hold a user or password: name the key in `secret`' });
  if (search !== '' || hash !== '') context.addIssue({ code: 'custom', message: 'must not hold a query or fragment' });
});

const limit = z
  .strictObject({
    count: z.int().positive().describe('Requests in a window.'),
    seconds: z.number().positive().describe('Length of the window.'),
  })
  .describe('Requests per window of so many seconds.');

/** What every service of a connection has. */
const serviceSchema = z.strictObject({
  url: url.describe('Base URL of the API, without the prefix of its version.'),
  secret: secretSchema,
  limits: z
    .partialRecord(z.enum(limitClasses), limit)
    .optional()
    .describe('Limits of your contract, where they differ from the published ones.'),
  subject: z
    .string()
    .min(1)
    .optional()
    .describe('User at the service: connections with the same one share the limits counted by user; default: whose key it is.'),
  ...tuningFields,
});

/** The services that a connection may hold, each with what it alone has. */
const serviceSchemas = {
  maps: serviceSchema
    .extend({
      organization: z.string().min(1).optional().describe("Organization slug or id; default: the user's default organization."),
    })
    .describe('A service of the maps API.'),
  instance: serviceSchema.describe('A service of the instance API.'),
} satisfies Record<Service, z.ZodObject>;

const connectionSchema = z
  .strictObject(serviceSchemas)
  .partial()
  .refine((services) => Object.keys(services).length > 0, `names no service: give it ${serviceNames.join(' or ')}`);
const duration = z.string().regex(durationPattern, durationRule);

const limitedUrl = z
  .url({
    protocol: /^https?$/,
    error: 'must be the beginning of an http(s) URL, as in https://api.acme.com or https://api.acme.com/search',
  })
  .refine(
    (value) => !URL.canParse(value) || (new URL(value).search === '' && new URL(value).username === ''),
    'must hold no query, user or password',
  );

const connectionName = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'a connection name is lower case letters, digits and dashes, beginning with a letter');

export const configSchema = z.strictObject({
  connections: z
    .record(connectionName, connectionSchema)
    .refine((connections) => !(localName in connections), `'${localName}' is the service of portolan dev; give yours another name`)
    .default({})
    .describe('Services by a name of yours: one connection holds one service of each API at most.'),
  connection: z.string().min(1).optional().describe('Connection used where neither the file nor the command names one.'),
  secrets: z
    .record(secretName, secretSchema)
    .default({})
    .describe('Secrets of your own steps, of channels and of sources that are fetched, by name.'),
  channels: z.record(channelName, channelSchema).default({}).describe('Where alerts go, by a name of yours.'),
  notify: notify.optional().describe('Who is alerted to what, of every pipeline whose file does not say so itself.'),
  sources: sourcesSchema.prefault({}).describe('Sources that are fetched.'),
  limits: z
    .record(limitedUrl, limit)
    .default({})
    .describe('Limits of services of your own, by the beginning of their URLs: what context.fetch of your own steps keeps to.'),
  store: z.string().min(1).default('.portolan/runs').describe('Run store: a folder, or a file: URI.'),
  retention: z
    .strictObject({
      runs: duration.optional().describe('Runs that ended longer ago go whole; default 30d.'),
      shards: duration
        .optional()
        .describe('Working files (shards, copies of uploads) of runs that ended well longer ago go; default: at once.'),
      most: z
        .string()
        .regex(sizePattern, sizeRule)
        .optional()
        .describe('What all runs may take: beyond it those that ended first go whole.'),
    })
    .optional()
    .describe(
      'What runs may leave in the run store. Workers keep to it, at their start and once a day; `portolan gc` takes its defaults from it.',
    ),
  steps: z.array(z.string().min(1)).default(['steps/*.mts']).describe('Files or globs of your own steps.'),
  temporal: z
    .strictObject({
      address: z
        .string()
        .regex(/^[^\s/]+:\d+$/, 'must be host:port')
        .describe('Host and port of its frontend.'),
      namespace: z.string().min(1).default('default').describe('Namespace of the workflows.'),
      apiKey: secretSchema.optional().describe('API key, where the cluster takes one.'),
      tls: z.boolean().optional().describe('Whether the connection is encrypted; default: where there is an API key.'),
    })
    .optional()
    .describe('Temporal cluster; TEMPORAL_* and temporal.toml go before it.'),
});

export type Secret = z.output<typeof secretSchema>;
export type ConfiguredService = z.output<typeof serviceSchema>;
