import { onThisMachine } from '../text/this-machine.ts';
import type { HeaderValue } from './source-spec.ts';
import { hasExpression } from './expressions/scan.ts';
import { isS3, s3Problem } from './s3-address.ts';

/** Headers, and parameters of a query, that are secrets wherever they occur, by the end of their names: signatures of signed URLs, keys, tokens. */
const secretNames =
  /(?:^|[-_])(?:authorization|cookie|(?:access|auth|private)?token|(?:client)?secret|password|api[-_]?key|sig|signature|credential)$/i;

/** Tokens that say where a list goes on. */
const placeNames = /(?:^|[-_])(?:next|page|start|sync|cursor|continuation)[-_]?(?:page[-_]?)?token$/i;

export const isSecretName = (name: string): boolean => secretNames.test(name) && !placeNames.test(name);

/** What is wrong with the address of a file that is to be fetched, and what to write; undefined where nothing is. */
export function addressProblem(text: string): { message: string; remedy: string } | undefined {
  // What an expression gives is looked at in the run.
  if (isS3(text)) return hasExpression(text) ? undefined : s3Problem(text);
  const scheme = text.split('://')[0]!.toLowerCase();
  if (scheme !== 'https' && scheme !== 'http')
    return {
      message: `a file is not fetched from ${scheme}://…`,
      remedy: 'name an address that begins with https:// or s3://, or fetch the file first and name where it is',
    };
  if (!URL.canParse(text) && hasExpression(text)) return undefined;
  if (!URL.canParse(text)) return { message: `${JSON.stringify(text)} is no URL`, remedy: 'write it as https://host/path/file.parquet' };
  const { username, password, searchParams } = new URL(text);
  if (username !== '' || password !== '')
    return {
      message: 'an address holds no user or password: it stands in plans and histories',
      remedy: 'send a secret by its name: { http: URL, headers: { authorization: { secret: NAME, scheme: Basic } } }',
    };
  const secret = [...searchParams.keys()].find(isSecretName);
  if (secret === undefined) return undefined;
  return {
    message: `the parameter '${secret}' of an address is a secret, and an address stands in plans and histories`,
    remedy: 'send a secret by its name: { http: URL, headers: { authorization: { secret: NAME, scheme: Bearer } } }',
  };
}

/** True where a secret would go to another machine unencrypted. */
export function sendsOpenly({ http, headers = {} }: { http: string; headers?: { [name: string]: HeaderValue } | undefined }): boolean {
  if (!Object.values(headers).some((value) => typeof value === 'object') || !URL.canParse(http)) return false;
  const { protocol, hostname } = new URL(http);
  return protocol === 'http:' && !onThisMachine.test(hostname);
}
