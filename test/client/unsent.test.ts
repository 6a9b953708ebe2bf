import { expect, test } from 'vitest';
import { neverSent } from '../../client/network-code.ts';

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNTIMEOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'EMFILE', 'ENFILE', 'EADDRNOTAVAIL'])(
  'after %s nothing can have reached the service',
  (code) => expect(neverSent(new Error(code), code)).toBe(true),
);

test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'network'])('after %s it may have', (code) =>
  expect(neverSent(new Error(code), code)).toBe(false),
);
