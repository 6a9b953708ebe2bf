import { ConfigError } from '../config/config-error.ts';
import { commandEnvironment } from '../config/command-environment.ts';
import type { Config } from '../config/load.ts';
import { namedSecret } from '../config/named-secret.ts';
import { didYouMean } from '../text/nearest.ts';
import { milliseconds } from '../text/duration.ts';
import type { Channel } from './channels/channel.ts';
import { command } from './channels/command.ts';
import { mail } from './channels/mail.ts';
import { webhook } from './channels/webhook.ts';

/** Longest time of a command that says none itself. */
const usualTime = '30s';

/** The channel of a name, its secrets read when it sends. Fails with `ConfigError` where there is none. */
export function createChannel(config: Pick<Config, 'channels' | 'secrets' | 'root' | 'file'>, name: string): Channel {
  const found = Object.hasOwn(config.channels, name) ? config.channels[name] : undefined;
  const secret = (of: string) => (): string => namedSecret(config, of, `the channel '${name}'`);
  if (found?.webhook !== undefined && found.secret !== undefined)
    return webhook(name, { url: found.webhook, secret: secret(found.secret) });
  if (found?.mail) return mail(name, found.mail, found.mail.secret === undefined ? undefined : secret(found.mail.secret));
  const [program, ...args] = found?.command ?? [];
  if (program !== undefined)
    return command(name, {
      argv: [program, ...args],
      cwd: config.root,
      env: commandEnvironment(),
      longestMs: milliseconds(found?.timeout ?? usualTime),
    });
  const names = Object.keys(config.channels);
  throw new ConfigError(
    `there is no channel '${name}' in ${config.file ?? 'portolan.config.mts'}${didYouMean(name, names)}`,
    names.length > 0 ? `known channels: ${names.join(', ')}` : `say where it sends: channels: { ${name}: { webhook: URL, secret: NAME } }`,
  );
}
