import { posix } from 'node:path';
import type { formats, RemoteFile } from '../pipelines/source-spec.ts';
import { cutName, mostNameBytes } from '../text/cut-name.ts';

const endings: Readonly<Record<(typeof formats)[number], string>> = {
  json: '.json',
  csv: '.csv',
  parquet: '.parquet',
  arrow: '.arrow',
  excel: '.xlsx',
};

const packing = /\.(?:gz|zst)$/i;

/** The name under which a fetched file is read: the last part of where it is, with its ending. */
export function localName(file: RemoteFile, place: string, packed: string): string {
  const plain = decoded(posix.basename(place))
    .replace(/[^\p{L}\p{N} ._+()=@-]+/gu, '_')
    .replace(/^[. ]+/, '');
  const ending = /(?:\.\w{1,10}){0,2}$/.exec(plain)![0];
  const short = cutName(plain.slice(0, plain.length - ending.length), mostNameBytes) + ending;
  return withEnding(file, short === '' ? 'source' : short, packed);
}

/** A name that ends in the format of a file, where one is said, and in its packing. */
export function withEnding(file: RemoteFile, name: string, packed: string): string {
  const format = typeof file === 'object' && 'format' in file ? file.format : undefined;
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
