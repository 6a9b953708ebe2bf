import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { childLimits } from '../../child/child-limits.ts';
import { line, type Line } from './proof.ts';
import { arrowBomb, arrowCodecs, parquetBomb, parquetCodecs } from './support-bombs.ts';
import { startHost, type Tried } from './support-corpus-host.ts';
import { sampleMemory } from './support-memory.ts';

const seconds = 6;
const MiB = 1024 * 1024;
/** 700 values of 16 MiB are 10.9 GiB. */
const long = { rows: 700, valueBytes: 16 * MiB };
/** One value that no child has room for. */
const wide = { rows: 1, valueBytes: 1_400 * MiB };

/** `tempGiB`: what its unpacked text may fill, where the usual room would take long to fill. */
type Bomb = { name: string; make(): Uint8Array; tempGiB?: number };

const bombs: Bomb[] = [
  ...parquetCodecs.map((codec) => ({ name: `long-${codec}.parquet`, make: () => parquetBomb(codec, long) })),
  { name: 'honest-zstd.parquet', make: () => parquetBomb('zstd', { ...long, honest: true }) },
  ...['lz4_raw', 'snappy'].map((codec) => ({ name: `wide-${codec}.parquet`, make: () => parquetBomb(codec, wide) })),
  ...arrowCodecs.map((codec) => ({ name: `${codec}.arrow`, make: () => arrowBomb(codec, 10) })),
  { name: 'csv.csv.gz', make: () => gzipSync(Buffer.alloc(64 * MiB, 'a,b\n1,2\n'), { level: 1 }), tempGiB: 1 / 32 },
];

type Blown = { bytes: number; tried: Tried; peak: number };

/** One bomb in a fresh host with one child. */
async function blow({ name, make, ...limits }: Bomb, folder: string, memoryMb: number): Promise<Blown> {
  const path = join(folder, name);
  const bytes = make();
  await writeFile(path, bytes);
  const host = await startHost({ tempDir: folder, seconds, memoryMb, children: 1, ...limits });
  const sampler = sampleMemory(host.pid);
  try {
    const tried = await host.try(path);
    return { bytes: bytes.length, tried, peak: (await sampler.stop()).children };
  } finally {
    await host.close();
    await rm(path);
  }
}

/** Files of some kB that decode to more than there is room for, for every codec: each is refused within memory and time. */
export async function tryBombs(folder: string, sampleMb: number): Promise<Line[]> {
  const { memoryMb } = childLimits;
  const lines: Line[] = [];
  for (const bomb of bombs) {
    const { bytes, tried, peak } = await blow(bomb, folder, memoryMb);
    const { end, message, ms } = tried.converted ?? tried.inspected;
    const refused = !['rows', 'error', 'crashed', 'hang'].includes(end);
    lines.push(
      line(
        `bomb ${bomb.name}, ${Math.ceil(bytes / 1024)} KiB`,
        `${end} after ${(ms / 1_000).toFixed(1)} s, peak ${peak} MiB: ${message.slice(0, 120)}`,
        `refused, ≤ ${memoryMb + sampleMb} MiB`,
        refused && peak <= memoryMb + sampleMb,
      ),
    );
  }
  const free = await blow({ name: 'free.parquet', make: () => parquetBomb('lz4_raw', wide) }, folder, 8 * memoryMb);
  lines.push(
    line(
      'control: the wide bomb with eight times the memory allowed',
      `${(free.tried.converted ?? free.tried.inspected).end}, peak ${free.peak} MiB`,
      `> ${memoryMb + sampleMb} MiB`,
      free.peak > memoryMb + sampleMb,
    ),
  );
  return lines;
}
