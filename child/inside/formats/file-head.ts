import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { BadInput } from '../../../errors/classes.ts';
import type { FilePrint } from '../../tables.ts';

const headBytes = 512;

const byteOrderMark = Buffer.from('\uFEFF');

/** What a file was when it was first looked at, and its first bytes. */
export type FileHead = { print: FilePrint; head: Buffer };

/** Print and first bytes of a file, `name` in messages. Fails with `BadInput` where it is missing, empty, or nothing that can be read. */
export async function fileHead(path: string, name: string = basename(path)): Promise<FileHead> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new BadInput('bad_input', error.code === 'ENOENT' ? `${path}: no such file` : `${path}: cannot be read (${error.code})`);
  });
  if (!facts.isFile()) throw new BadInput('bad_input', `${path}: not a regular file`);
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new BadInput('bad_input', `${path}: cannot be read (${error.code})`);
  });
  const head = Buffer.alloc(headBytes);
  const { bytesRead } = await file.read(head, 0, head.length, 0).finally(() => file.close());
  const read = head.subarray(0, bytesRead);
  if (facts.size === 0 || read.equals(byteOrderMark)) throw new BadInput('bad_input', `${name}: the file is empty`);
  return { print: { file: path, bytes: facts.size, mtimeMs: facts.mtimeMs, ino: facts.ino }, head: read };
}
