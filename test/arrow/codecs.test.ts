import { zstdCompressSync } from 'node:zlib';
import { CompressionType, compressionRegistry } from 'apache-arrow';
import { expect, test } from 'vitest';
import { limitDecoded, registerCodecs } from '../../arrow/codecs.ts';

registerCodecs();
/** A frame as a record batch holds it: behind the length that it has decompressed. */
const framed = (bytes: number, stated = bytes): Uint8Array => {
  const length = Buffer.alloc(8);
  length.writeBigInt64LE(BigInt(stated));
  return new Uint8Array(Buffer.concat([length, zstdCompressSync(new Uint8Array(bytes))])).subarray(8);
};
const decode = (bytes: number, stated?: number): number =>
  compressionRegistry.get(CompressionType.ZSTD)!.decode!(framed(bytes, stated)).byteLength;

test('a buffer that gives more or fewer bytes than it says is damaged', () => {
  limitDecoded(10_000);
  expect(decode(40, 40)).toBe(40);
  // As Arrow's writer for JavaScript has it.
  expect(decode(40, zstdCompressSync(new Uint8Array(40)).byteLength)).toBe(40);
  for (const stated of [0, 39, 41, 2 ** 40])
    expect(() => decode(40, stated)).toThrow(`a compressed buffer gives 40 bytes, and says that it has ${stated}`);
});

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
