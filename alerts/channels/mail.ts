import type { ConfiguredMail } from '../../config/channel-schema.ts';
import type { AlertDocument } from '../document.ts';
import type { Channel, Outcome } from './channel.ts';

const connectMs = 10_000;
const silentMs = 30_000;

/**
 * Sends a document as a mail: its line as the subject, what to type in the text, itself as an attachment. Signing in comes first,
 * so that only a failure behind it may have been a mail. `password` is read anew for each attempt.
 */
export const mail = (name: string, { host, port, tls, user, from, to }: ConfiguredMail, password: (() => string) | undefined): Channel => ({
  name,
  kind: 'mail',
  repeats: false,
  async send(document, signal): Promise<Outcome> {
    const pass = password?.();
    // Loaded when a mail is sent: no other command needs it.
    const [{ default: SMTPConnection }, { default: MailComposer }] = await Promise.all([
      import('nodemailer/lib/smtp-connection'),
      import('nodemailer/lib/mail-composer'),
    ]);
    const message = await new MailComposer({
      from,
      to: [...to],
      subject: document.text.replace(/\s+/g, ' ').slice(0, 200),
      text: textOf(document),
      messageId: `<${document.id.replace(/[^\w.-]/g, '.')}@portolan>`,
      date: document.at,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Portolan-Id': document.id },
      attachments: [{ filename: 'alert.json', content: JSON.stringify(document, null, 2), contentType: 'application/json' }],
    })
      .compile()
      .build();
    const connection = new SMTPConnection({
      host,
      port: port ?? (tls === 'implicit' ? 465 : 587),
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silentMs,
    });
    const close = (): void => connection.close();
    signal.addEventListener('abort', close, { once: true });
    let sending = false;
    try {
      const lost = new Promise<never>((_, reject) => connection.on('error', reject).on('end', () => reject(new Error('closed'))));
      lost.catch(() => undefined);
      const step = (begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
        Promise.race([lost, new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve())))]);
      await step((done) => connection.connect(done));
      if (user !== undefined && pass !== undefined) await step((done) => connection.login({ user, pass }, done));
      sending = true;
      let refused: readonly string[] = [];
      await step((done) =>
        connection.send({ from, to: [...to] }, message, (error, info) => {
          refused = info?.rejected ?? [];
          done(error);
        }),
      );
      if (refused.length === 0) return { is: 'sent', note: `taken by ${host}` };
      // Sent again it would come twice to those who have it.
      return { is: 'failed', note: `${host} took it, but not for ${refused.join(', ')}: give each address a channel of its own` };
    } catch (error) {
      const { responseCode, code = 'closed' } = error as { responseCode?: number; code?: string };
      // What the server refuses it has not taken: 4xx for now, 5xx for good.
      const note = responseCode === undefined ? `${host}: ${code}` : `${host} refused: ${responseCode}`;
      if (sending && responseCode === undefined) return { is: 'unknown', note };
      return responseCode !== undefined && responseCode >= 500 ? { is: 'failed', note } : { is: 'again', note, afterMs: 0 };
    } finally {
      signal.removeEventListener('abort', close);
      connection.close();
    }
  },
});

const textOf = ({ text, error, gate, commands, links }: AlertDocument): string =>
  [
    text,
    ...(error ? ['', `remedy: ${error.remedy}`] : []),
    ...(gate && gate.approves.length > 0 ? ['', `lets: ${gate.approves.join(', ')}`] : []),
    '',
    ...Object.entries({ ...commands, ...links }).map(([name, value]) => `${name.padEnd(9)} ${value}`),
    '',
  ].join('\n');
