import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import type { Secret } from './schema.ts';

/** What no key holds: services make keys of visible ASCII, and headers carry little else. What is no key may have letters of any language. */
const foreign = { key: /[^\x21-\x7e]/u, any: /\p{C}/u } as const;

type Kind = keyof typeof foreign;

const codePoint = (char: string): string => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

const checked = (value: string, where: string, kind: Kind, passes = false): string => {
  const secret = value.trim();
  if (secret === '') throw new ConfigError(`${where} is empty`, 'put the key there, alone on one line', { passes });
  if (/\s/.test(secret))
    throw new ConfigError(`${where} holds more than one word`, 'put only the key there, alone on one line', { passes });
  const [found] = foreign[kind].exec(secret) ?? [];
  if (found !== undefined)
    throw new ConfigError(
      `${where} holds the character ${codePoint(found)}, which no ${kind === 'key' ? 'key' : 'secret'} has`,
      'it came in where the key was copied, as a quotation mark or a space that is not seen: copy it again from where it was made',
      { passes },
    );
  return secret;
};

const fromEnvironment = (name: string, field: string, kind: Kind): string => {
  const value = process.env[name];
  if (value === undefined)
    throw new ConfigError(
      `${field}: the environment variable ${name} is not set`,
      `set it where this command or worker starts: export ${name}=…`,
    );
  return checked(value, `${field}: the environment variable ${name}`, kind);
};

const fromFile = (path: string, field: string, kind: Kind): string => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile())
    throw new ConfigError(`${field}: there is no file ${path}`, 'write the key into it, then: chmod 600 on it', { passes: true });
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new ConfigError(
      `${field}: ${path} may be read or written by other users (mode ${(found.mode & 0o777).toString(8)})`,
      `chmod 600 ${path}`,
      { passes: true },
    );
  }
  try {
    return checked(readFileSync(path, 'utf8'), `${field}: ${path}`, kind, true);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${field}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, 'let this user own it', {
      cause: error,
      passes: true,
    });
  }
};

/** Value of a secret; `field` names its place in messages. Fails with `ConfigError`, which never holds the value. */
export const readSecret = (secret: Secret, root: string, field: string, kind: Kind = 'key'): string =>
  'env' in secret ? fromEnvironment(secret.env, field, kind) : fromFile(resolve(root, secret.file), field, kind);
