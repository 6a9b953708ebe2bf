import { expect, test } from 'vitest';
import { encodeMultipart } from '../../client/multipart.ts';
import { neverSent } from '../../client/network-code.ts';

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNTIMEOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'EMFILE', 'ENFILE', 'EADDRNOTAVAIL'])(
  'after %s nothing can have reached the service',
  (code) => expect(neverSent(new Error(code), code)).toBe(true),
);

test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'network'])('after %s it may have', (code) =>
  expect(neverSent(new Error(code), code)).toBe(false),
);

test('a name of a file or of a field adds no line to the head of its part', async () => {
  const { body } = await encodeMultipart({ 'a\r\nx: "1"': new File(['text'], 'b\rc\nd"e.txt') });
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  expect(text.split('\r\n\r\n')[0]!.split(/\r|\n/)).toEqual([
    expect.stringMatching(/^--portolan-/),
    '',
    'content-disposition: form-data; name="a%0D%0Ax: %221%22"; filename="b%0Dc%0Ad%22e.txt"',
  ]);
});
