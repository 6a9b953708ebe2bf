import { existsSync } from 'node:fs';
import { filesLiteral } from '../text/sql.ts';
import { queryFiles, writeParquet } from './columnar.ts';
import { partName } from './part-name.ts';
import type { RunStore } from './run-store.ts';

/** One item of a sweep: its name in the ledger, and the item itself, as JSON. */
export type SweepItem = { key: string; item: string };

const fileOf = (store: RunStore, list: string, part: number): string => store.path('sweeps', list, partName(part));

/** Writes one part of the list of items whole; the same part again replaces it. */
export const writeSweepItems = (store: RunStore, list: string, part: number, items: readonly SweepItem[]): Promise<void> =>
  writeParquet(fileOf(store, list, part), { key: { type: 'UTF8' }, item: { type: 'UTF8' } }, items);

/** Items of one part in the order in which they were written. */
export function readSweepItems(store: RunStore, list: string, part: number): Promise<SweepItem[]> {
  const file = filesLiteral(fileOf(store, list, part));
  return queryFiles<SweepItem>(`select key, item from read_parquet(${file})`);
}

/** Whether a part of the list is there: without it nobody knows its items. */
export const hasSweepItems = (store: RunStore, list: string, part: number): boolean => existsSync(fileOf(store, list, part));
