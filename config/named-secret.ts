import { didYouMean } from '../text/nearest.ts';
import { ConfigError } from './config-error.ts';
import type { Config } from './load.ts';
import { readSecret } from './secret.ts';

/** The value of a secret of own steps, channels or sources by its name, read anew: it may have been rotated. Fails with `ConfigError`, which never holds it. */
export function namedSecret({ secrets, root, file }: Pick<Config, 'secrets' | 'root' | 'file'>, name: string, by = 'a step'): string {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  // It may be the password of a database.
  if (secret) return readSecret(secret, root, `secrets.${name}`, 'any');
  throw new ConfigError(
    `${by} asks for the secret '${name}', which is not under secrets in ${file ?? 'portolan.config.mts'}${didYouMean(name, Object.keys(secrets))}`,
    `name where it is found: secrets: { ${name}: { env: 'NAME' } }`,
  );
}

/** Why a secret cannot be read here, and what to do; undefined where it can. */
export function secretProblem(
  config: Parameters<typeof namedSecret>[0],
  name: string,
  by?: string,
): { message: string; remedy: string } | undefined {
  try {
    namedSecret(config, name, by);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { message: error.message, remedy: error.remedy ?? '' };
  }
}
