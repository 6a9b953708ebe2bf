import { Unavailable, type Resource } from './classes.ts';

type Shortage = { resource: Resource; says: string };

/** Errors of the operating system that pass when somebody makes room, mends a disk or mounts it again. */
const shortages: Readonly<Record<string, Shortage>> = {
  ENOSPC: { resource: 'disk', says: 'no space left on the disk' },
  EDQUOT: { resource: 'disk', says: 'the disk quota is used up' },
  EROFS: { resource: 'disk', says: 'the disk can only be read' },
  EIO: { resource: 'disk', says: 'the disk does not read or write' },
  ESTALE: { resource: 'disk', says: 'the network disk is gone' },
  EMFILE: { resource: 'files', says: 'this process has too many files open' },
  ENFILE: { resource: 'files', says: 'this host has too many files open' },
  ENOMEM: { resource: 'memory', says: 'no memory left' },
  EAGAIN: { resource: 'process', says: 'no further process can be started' },
};

/** DuckDB, which writes for itself, hands on the system's sentence behind the kind of its error, and no code. */
const sentences: readonly { says: RegExp; code: string }[] = [
  { says: /no space left on device|could not write all bytes/i, code: 'ENOSPC' },
  { says: /disk quota exceeded/i, code: 'EDQUOT' },
  { says: /read-only file system/i, code: 'EROFS' },
  { says: /input\/output error/i, code: 'EIO' },
  { says: /too many open files/i, code: 'EMFILE' },
];

/** SQLite has codes of its own: read only, input or output, full, cannot be opened. */
const sqlite: Readonly<Record<number, string>> = { 8: 'EROFS', 10: 'EIO', 13: 'ENOSPC' };

const ofDuckDb = /^[A-Z][\w ]* Error: /;

/** The shortage of this host that an error reports; undefined where it reports none. */
export function shortageOf(error: unknown): Unavailable | undefined {
  if (error instanceof Unavailable) return error;
  if (!(error instanceof Error)) return undefined;
  const { code: own, path, errcode } = error as NodeJS.ErrnoException & { errcode?: number };
  const code = own === 'ERR_SQLITE_ERROR' ? sqlite[(errcode ?? 0) % 256] : own;
  // Errors of our own classes and of a user's code quote files and services, whose words say nothing about this host.
  const said =
    error.name === 'Error' && ofDuckDb.test(error.message) ? sentences.find(({ says }) => says.test(error.message))?.code : undefined;
  const found = shortages[code ?? ''] ?? shortages[said ?? ''];
  return (
    found && new Unavailable(found.resource, `${found.says}${path === undefined ? '' : ` (${path})`}: ${error.message}`, { cause: error })
  );
}
