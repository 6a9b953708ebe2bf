import { createHmac, timingSafeEqual } from 'node:crypto';

/** What an access token says: whose it is, of which session, and in which seconds since the epoch it holds. */
export type Claims = { sub: string; sid: string; iat: number; exp: number };

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const header = encode({ alg: 'HS256', typ: 'JWT' });

const signature = (secret: Buffer, signed: string): Buffer => createHmac('sha256', secret).update(signed).digest();

/** A JSON Web Token (RFC 7519). */
export const writeJwt = (secret: Buffer, claims: Claims): string => {
  const signed = `${header}.${encode(claims)}`;
  return `${signed}.${signature(secret, signed).toString('base64url')}`;
};

/** What a token of this secret says, however old it is; undefined for any other text. */
export const readJwt = (secret: Buffer, token: string): Claims | undefined => {
  const [first, claims, signed, ...rest] = token.split('.');
  // No other header is ever written: a token that names another algorithm, or none, is not ours.
  if (first !== header || claims === undefined || signed === undefined || rest.length > 0) return undefined;
  const [sent, right] = [Buffer.from(signed, 'base64url'), signature(secret, `${first}.${claims}`)];
  if (sent.byteLength !== right.byteLength || !timingSafeEqual(sent, right)) return undefined;
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Claims;
};
