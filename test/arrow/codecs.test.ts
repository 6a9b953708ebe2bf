import { zstdCompressSync } from 'node:zlib';
import { CompressionType, compressionRegistry } from 'apache-arrow';
import { expect, test } from 'vitest';
import { limitDecoded, registerCodecs } from '../../arrow/codecs.ts';

registerCodecs();
const decode = (bytes: number): number =>
  compressionRegistry.get(CompressionType.ZSTD)!.decode!(zstdCompressSync(new Uint8Array(bytes))).byteLength;

test('all buffers of a file have one bound together', () => {
  limitDecoded(1_000);
  expect([decode(400), decode(400)]).toEqual([400, 400]);
  expect(() => decode(400)).toThrow(/grows beyond the 200 bytes that are left for it/);
  expect(decode(200)).toBe(200);
  expect(() => decode(1)).toThrow(/grows beyond the 0 bytes/);
});

test('a new file has the whole bound again', () => {
  limitDecoded(100);
  expect(decode(100)).toBe(100);
  limitDecoded(100);
  expect(decode(100)).toBe(100);
});
