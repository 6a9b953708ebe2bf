import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { readJwt, writeJwt } from '../../service/core/identity/jwt.ts';

const secret = Buffer.alloc(32, 7);
const claims = { sub: 'ann', sid: 's', iat: 1, exp: 2 };
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with a valid signature over whatever it says. */
const signed = (head: unknown, body: unknown): string => {
  const text = `${encode(head)}.${encode(body)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

test('what was written is read back, by its own secret and under its own algorithm', () => {
  const token = writeJwt(secret, claims);
  expect(readJwt(secret, token)).toEqual(claims);
  expect(token).toBe(signed({ alg: 'HS256', typ: 'JWT' }, claims));
  expect(readJwt(Buffer.alloc(32, 8), token)).toBeUndefined();
  for (const other of [
    signed({ alg: 'none' }, claims),
    signed({ typ: 'JWT', alg: 'HS256' }, claims),
    `${token}.x`,
    token.slice(0, -1),
    'nk-key',
    '',
  ])
    expect(readJwt(secret, other)).toBeUndefined();
});
