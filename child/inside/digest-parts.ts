import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Methods } from '../protocol.ts';
import { BadInput } from '../../errors/classes.ts';
import type { FileDigests } from '../tables.ts';
import { checkPrint } from './file-print.ts';

const blockBytes = 1024 * 1024;

/**
 * Digests of a file and of its parts, in one pass: a part is held against its CRC-32 when it is sent, and most
 * services answer its MD5 as ETag. Fails with `BadInput` where the file is not the one of the print any more.
 */
export async function digestParts({ print, partSize }: Methods['digestParts']['input']): Promise<FileDigests> {
  const { file: path, bytes } = print;
  await using file = await open(path, 'r');
  const whole = createHash('sha256');
  const parts: FileDigests['parts'] = [];
  const buffer = Buffer.allocUnsafeSlow(blockBytes);
  for (let at = 0; at < bytes;) {
    const end = Math.min(bytes, (parts.length + 1) * partSize);
    const md5 = createHash('md5');
    let crc = 0;
    while (at < end) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(blockBytes, end - at), at);
      if (bytesRead === 0) throw new BadInput('bad_input', `${path} ends early: it changes while it is read`);
      const block = buffer.subarray(0, bytesRead);
      for (const hash of [whole, md5]) hash.update(block);
      crc = crc32(block, crc);
      at += bytesRead;
    }
    parts.push({ crc32: crc, md5: md5.digest('hex') });
  }
  await checkPrint(print);
  return { sha256: whole.digest('hex'), parts };
}
