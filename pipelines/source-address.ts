import { hasExpression } from './expressions/scan.ts';
import { isS3, s3Problem } from './s3-address.ts';

/** Parameters of a query that are secrets wherever they occur: signatures of signed URLs, keys, tokens. */
const secretParameters =
  /^(?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|(?:access_?|auth_?)?token|api_?key|secret|password)$/i;

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
  const secret = [...searchParams.keys()].find((name) => secretParameters.test(name));
  if (secret === undefined) return undefined;
  return {
    message: `the parameter '${secret}' of an address is a secret, and an address stands in plans and histories`,
    remedy: 'send a secret by its name: { http: URL, headers: { authorization: { secret: NAME, scheme: Bearer } } }',
  };
}
