import { NotFetched } from '../../errors/classes.ts';
import type { Refusal } from '../ask.ts';
import type { Storage } from './storage.ts';
import { readXml } from './xml.ts';

/** What a storage says of a request that it refuses. */
function saidIn(body: string): Readonly<Record<string, string>> {
  let found: Readonly<Record<string, string>> = {};
  try {
    readXml(body, (path, fields) => void (path === 'Error' && (found = fields)));
  } catch {
    // Something on the way has answered.
  }
  return found;
}

/** Remedies by the code of an error of S3; `secrets`: the names of those that the request was signed with. */
const remedies: Readonly<Record<string, (storage: Storage, secrets: string) => string>> = {
  ExpiredToken: (_, secrets) => `take new ones: the secrets ${secrets} were lent for a time, which is over`,
  TokenRefreshRequired: (_, secrets) => `take new ones: the secrets ${secrets} were lent for a time, which is over`,
  InvalidToken: (_, secrets) => `correct the token: the secrets ${secrets} belong together`,
  InvalidAccessKeyId: ({ secrets }) => `correct the secret '${secrets?.keyId}': its value is no access key id there`,
  SignatureDoesNotMatch: ({ secrets }) => `correct the secret '${secrets?.key}': its value is not the key of '${secrets?.keyId}'`,
  RequestTimeTooSkewed: () => 'set the clock of this host: a signature is good for some minutes',
  NoSuchBucket: ({ name }) => `correct the bucket, or name another storage than '${name}'`,
  NoSuchKey: () => 'correct the key, or see what is there by a pattern: s3://bucket/path/*',
  InvalidObjectState: () => 'have it restored from its archive first',
};

/** What the refusal of a storage means: no later try would change it. */
export const s3Refusal =
  (storage: Storage): Refusal =>
  ({ status, headers, body, place }) => {
    const { Code: code = '', Region: region = headers['x-amz-bucket-region'] } = saidIn(body);
    const secrets = Object.values(storage.secrets ?? {})
      .map((name) => `'${name}'`)
      .join(', ');
    const says = `${place}: the storage '${storage.name}' answers ${status}${code === '' ? '' : ` ${code}`}`;
    if (typeof region === 'string' && region !== storage.region)
      return new NotFetched(
        `${says}: the bucket is in ${region}`,
        `name it: sources: { s3: { ${storage.name}: { region: '${region}' } } }`,
      );
    const known = Object.hasOwn(remedies, code) ? remedies[code]!(storage, secrets) : undefined;
    if (known !== undefined) return new NotFetched(says, known);
    if (status !== 403 && status !== 401)
      return new NotFetched(says, status === 404 ? 'correct the address' : 'see at the storage why it refuses the object');
    return new NotFetched(
      says,
      secrets === ''
        ? `name the secrets of one who may read it: sources: { s3: { ${storage.name}: { secrets: { keyId: NAME, key: NAME } } } }`
        : `let the one to whom the secrets ${secrets} belong read the object and list its bucket (without that a missing object is a 403)`,
    );
  };
