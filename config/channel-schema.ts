import { z } from 'zod';
import { onThisMachine } from '../text/this-machine.ts';
import { durationPattern, durationRule, milliseconds } from '../text/duration.ts';

export const secretName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'a secret is named by letters, digits, - and _, beginning with a letter');

const webhook = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL, as in https://host/path' }).superRefine((value, context) => {
  // A value that is no URL has its own finding already.
  if (!URL.canParse(value)) return;
  const { protocol, hostname, username, password } = new URL(value);
  if (protocol === 'http:' && !onThisMachine.test(hostname))
    context.addIssue({ code: 'custom', message: 'must begin with https://: over plain http everyone on the way reads the alert' });
  if (username !== '' || password !== '')
    context.addIssue({
      code: 'custom',
      message: 'must not hold a user or password: an alert is signed with the secret that `secret` names',
    });
});

const address = z.string().regex(/^[^\s@<>,;]+@[^\s@<>,;]+$/, 'a mail address such as ops@example.com');

const mail = z
  .strictObject({
    host: z.string().min(1).describe('The server that takes the mail.'),
    port: z.int().min(1).max(65_535).optional().describe('Default: 587, with `tls: "implicit"` 465.'),
    tls: z
      .enum(['starttls', 'implicit', 'none'])
      .default('starttls')
      .describe('Encryption: begun on the connection, from its first byte, or none, which is for a server on this machine alone.'),
    user: z.string().min(1).optional().describe('Who signs in; without it nobody does.'),
    secret: secretName.optional().describe('Name of the secret with the password of `user`.'),
    from: address.describe('Sender.'),
    to: z.array(address).min(1, 'name a recipient').describe('Recipients.'),
  })
  .refine(({ tls, host }) => tls !== 'none' || onThisMachine.test(host), {
    path: ['tls'],
    error: "must be 'starttls' or 'implicit': without encryption everyone on the way reads the alert",
  })
  .refine(({ user, secret }) => (user === undefined) === (secret === undefined), { error: 'give user and secret, or neither' });

/** An attempt to send one has 10 minutes in all. */
const mostCommandMs = 540_000;

const kinds = ['webhook', 'command', 'mail'] as const;

/** Where alerts go. */
export const channelSchema = z
  .strictObject({
    webhook: webhook.optional().describe('URL that alerts are posted to, as JSON; redirects are not followed.'),
    secret: secretName.optional().describe('webhook: name of the secret that signs them.'),
    command: z
      .array(z.string().min(1))
      .min(1, 'name a program')
      .optional()
      .describe('Program and arguments, without a shell; the alert is its standard input, the folder that of this file.'),
    timeout: z
      .string()
      .regex(durationPattern, durationRule)
      .refine((text) => milliseconds(text) <= mostCommandMs, 'at most 9m')
      .optional()
      .describe('command: its longest time, 9m at most; default 30s.'),
    mail: mail.optional().describe('A mail, by a server of yours.'),
  })
  .superRefine((channel, context) => {
    const [kind, ...others] = kinds.filter((name) => channel[name] !== undefined);
    const issue = (message: string): void => context.addIssue({ code: 'custom', message });
    if (kind === undefined || others.length > 0) return issue(`give one of ${kinds.join(', ')}`);
    if (kind === 'webhook' && channel.secret === undefined)
      issue('names no secret: alerts are signed with it, write secret: NAME and put NAME under secrets');
    if (kind !== 'webhook' && channel.secret !== undefined)
      issue(`secret belongs to a webhook${kind === 'mail' ? '; of a mail it stands in mail' : ''}`);
    if (kind !== 'command' && channel.timeout !== undefined) issue('timeout belongs to a command');
  });

export type ConfiguredChannel = z.output<typeof channelSchema>;
export type ConfiguredMail = z.output<typeof mail>;
