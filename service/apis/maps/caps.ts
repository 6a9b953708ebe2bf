import type { ServiceReadings } from '../../core/readings.ts';
import { HttpError, invalid } from '../../core/errors.ts';

/** Largest calls by the reading of `batch-caps`. */
const caps = {
  large: { datum_ids: 1_000, deletions: 10_000, ids: 10_000, rows: 10_000, queries: 1_000, k: 1_000 },
  small: { datum_ids: 50, deletions: 50, ids: 50, rows: 50, queries: 50, k: 50 },
} as const;

export const mostRows = (readings: ServiceReadings): number => caps[readings.of('batch-caps')].rows;

/** 422 for a list of the request that is longer than the service takes. */
export function checkCap(readings: ServiceReadings, kind: keyof (typeof caps)['large'], field: string, count: number): void {
  const most = caps[readings.of('batch-caps')][kind];
  if (count > most) throw invalid(field, `too many: ${count}, at most ${most}`);
}

/** 413 for more rows than one addition may have. */
export function checkRows(readings: ServiceReadings, rows: number): void {
  const most = mostRows(readings);
  if (rows > most) throw new HttpError(413, `${rows} rows in one shard; send at most ${most}`);
}
