import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Bytes } from '../../text/utf8-bytes.ts';

test('a text has as many bytes as its UTF-8', () => {
  for (const text of ['', 'a', 'é', '\u07ff', '\u0800', '映', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}', 'a😀é映'])
    expect([text, utf8Bytes(text)]).toEqual([text, Buffer.byteLength(text)]);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Bytes(text) === Buffer.byteLength(text)));
});
