import { posix } from 'node:path';
import { pathOf } from '../pipelines/source-name.ts';
import type { formats, RemoteFile } from '../pipelines/source-spec.ts';

const endings: Readonly<Record<(typeof formats)[number], string>> = {
  json: '.json',
  csv: '.csv',
  parquet: '.parquet',
  arrow: '.arrow',
  excel: '.xlsx',
};

const packing = /\.(?:gz|zst)$/i;

/** The name under which a fetched file is read: the last part of its address, which its format ends where one is said. */
export function localName(file: RemoteFile, packed: string): string {
  const last = posix.basename(new URL(pathOf(file)).pathname);
  const plain = decoded(last)
    .replace(/[^\p{L}\p{N} ._+()=@-]+/gu, '_')
    .replace(/^[. ]+/, '')
    .slice(-120);
  const name = plain === '' ? 'source' : plain;
  const format = typeof file === 'string' ? undefined : file.format;
  const ended = packing.exec(name)?.[0] ?? '';
  const stem = ended === '' ? name : name.slice(0, -ended.length);
  const full = format === undefined || stem.toLowerCase().endsWith(endings[format]) ? stem : stem + endings[format];
  return full + (ended === '' ? packed : ended);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
