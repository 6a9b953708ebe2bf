import { crc32, deflateRawSync } from 'node:zlib';

/** 1980-01-01: equal contents give equal archives. */
const dosDate = 33;

const fields = (sizes: readonly [value: number, bytes: 2 | 4][]): Buffer => {
  const buffer = Buffer.alloc(sizes.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of sizes) at = bytes === 2 ? buffer.writeUInt16LE(value, at) : buffer.writeUInt32LE(value >>> 0, at);
  return buffer;
};

/** A ZIP archive of a few small files (APPNOTE 6.3.10; no ZIP64). */
export const toZip = (files: readonly { name: string; text: string }[]): Uint8Array => {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, text } of files) {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const facts: [number, 2 | 4][] = [
      [20, 2],
      [0x800, 2],
      [8, 2],
      [0, 2],
      [dosDate, 2],
      [crc32(bytes), 4],
      [packed.length, 4],
      [bytes.length, 4],
      [path.length, 2],
      [0, 2],
    ];
    const head = Buffer.concat([fields([[0x04034b50, 4], ...facts]), path, packed]);
    local.push(head);
    central.push(fields([[0x02014b50, 4], [20, 2], ...facts, [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]]), path);
    offset += head.length;
  }
  const directory = Buffer.concat(central);
  const end = fields([
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [files.length, 2],
    [files.length, 2],
    [directory.length, 4],
    [offset, 4],
    [0, 2],
  ]);
  return Buffer.concat([...local, directory, end]);
};
