import { open, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { BadInput } from './tables.ts';

export type FileType = 'json' | 'csv' | 'parquet' | 'arrow-file' | 'arrow-stream';

const endings: Record<string, FileType> = {
  '.json': 'json',
  '.jsonl': 'json',
  '.ndjson': 'json',
  '.geojson': 'json',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.tab': 'csv',
  '.txt': 'csv',
  '.parquet': 'parquet',
  '.arrow': 'arrow-file',
  '.feather': 'arrow-file',
  '.ipc': 'arrow-file',
  '.arrows': 'arrow-stream',
  '.stream': 'arrow-stream',
};

const claims: Partial<Record<FileType, string>> = {
  parquet: 'Parquet: it does not begin with PAR1',
  'arrow-file': 'Arrow IPC: it begins neither with ARROW1 nor with a stream message',
};

const starts = (head: Buffer, ...bytes: number[]): boolean => bytes.every((byte, at) => head[at] === byte);

function byMagic(head: Buffer): FileType | 'gzip' | 'zip' | undefined {
  if (head.subarray(0, 4).equals(Buffer.from('PAR1'))) return 'parquet';
  if (head.subarray(0, 6).equals(Buffer.from('ARROW1'))) return 'arrow-file';
  if (starts(head, 0xff, 0xff, 0xff, 0xff)) return 'arrow-stream';
  if (starts(head, 0x1f, 0x8b)) return 'gzip';
  if (starts(head, 0x50, 0x4b, 0x03, 0x04)) return 'zip';
  return undefined;
}

/** Size and type of a table file, by its first bytes, then by its ending. Fails with `BadInput` where it cannot be a table. */
export async function fileType(path: string): Promise<{ type: FileType; bytes: number }> {
  const name = basename(path);
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new BadInput('bad_input', error.code === 'ENOENT' ? `${path}: no such file` : `${path}: cannot be read (${error.code})`);
  });
  if (!facts.isFile()) throw new BadInput('bad_input', `${path}: not a regular file`);
  if (facts.size === 0) throw new BadInput('bad_input', `${name}: the file is empty`);
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new BadInput('bad_input', `${path}: cannot be read (${error.code})`);
  });
  const head = Buffer.alloc(512);
  const { bytesRead } = await file.read(head, 0, head.length, 0).finally(() => file.close());
  const seen = byMagic(head.subarray(0, bytesRead));
  if (seen === 'gzip' || seen === 'zip') throw new BadInput('bad_input', `${name}: is a ${seen} archive; unpack it first`);
  if (seen) return { type: seen, bytes: facts.size };
  const claimed = endings[extname(name).toLowerCase()];
  const refusal = claimed && claims[claimed];
  if (refusal) throw new BadInput('bad_input', `${name}: is not ${refusal}`);
  const text = head
    .subarray(0, bytesRead)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  const type = claimed ?? (/^[{[]/.test(text) ? 'json' : undefined);
  if (!type) throw new BadInput('bad_input', `${name}: not known as a table; tables end in ${Object.keys(endings).join(', ')}`);
  return { type, bytes: facts.size };
}
