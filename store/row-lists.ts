import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../files/whole-file.ts';
import type { Json } from '../text/json.ts';
import type { Intent } from './intents.ts';
import type { RunStore } from './run-store.ts';

/** The rows that a loop goes over, in parts of some thousand. */
export type RowList = {
  /** Folder of the parts in the run store. */
  folder: string;
  rows: number;
  /** `first`: place of the part's first row, from 0. */
  parts: { file: string; first: number; rows: number }[];
  /** What is done for each of them. */
  body: Json;
};

/** A row by its name in the ledger. */
export type ListedRow = { key: string; row: Json };

/** A call of a step of a row, `STEP CALL`, that an earlier run has done, or begun without an end. */
export type RowCall = { call: string } & ({ result: Json } | { open: readonly Intent[] });

/** What a chunk takes over of an earlier run, by the number of the row in it: how the row ended, or what its steps have done. */
export type TakenRows<Fate> = { [at: number]: { fate?: Fate; calls?: RowCall[] } };

const fileOf = (list: string): string => `${list}.json`;
const takenOf = (list: string, part: number): string => `${list}-taken-${String(part).padStart(5, '0')}.json`;
const currentOf = (step: string): string => `loops/${step}/current.json`;

/** Keeps what the parts of a list are, and what is done for their rows. */
export const writeRowList = (store: Pick<RunStore, 'writeJson'>, list: string, facts: RowList): Promise<void> =>
  store.writeJson(fileOf(list), facts);

/** Names the list by which the rows of a step are worked through, for a later run. */
export const setRowList = (store: Pick<RunStore, 'writeJson'>, step: string, list: string): Promise<void> =>
  store.writeJson(currentOf(step), { list });

export const currentRowList = async (store: Pick<RunStore, 'readJson'>, step: string): Promise<string | undefined> =>
  (await store.readJson<{ list: string }>(currentOf(step)))?.list;

export const writeTakenRows = <Fate>(
  store: Pick<RunStore, 'writeJson'>,
  list: string,
  part: number,
  taken: TakenRows<Fate>,
): Promise<void> => store.writeJson(takenOf(list, part), taken);

export const readTakenRows = async <Fate>(store: Pick<RunStore, 'readJson'>, list: string, part: number): Promise<TakenRows<Fate>> =>
  (await store.readJson<TakenRows<Fate>>(takenOf(list, part))) ?? {};

/** Fails where the list is gone. */
export async function readRowList(store: Pick<RunStore, 'readJson'>, list: string): Promise<RowList> {
  const facts = await store.readJson<RowList>(fileOf(list));
  if (!facts) throw new Error(`the list of rows ${list} is gone from the run store`);
  return facts;
}

/** Writes one part whole, and returns the name of its file. */
export async function writeRows(store: Pick<RunStore, 'path'>, folder: string, part: number, rows: readonly ListedRow[]): Promise<string> {
  const file = `part-${String(part).padStart(5, '0')}.jsonl`;
  await writeWhole(store.path(folder, file), rows.map(({ key, row }) => `${JSON.stringify([key, row])}\n`).join(''));
  return file;
}

/** Rows of one part, in their order. */
export async function readRows(store: Pick<RunStore, 'path'>, { folder, parts }: RowList, part: number): Promise<ListedRow[]> {
  const text = await readFile(join(store.path(folder), parts[part]!.file), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [key, row] = JSON.parse(line) as [string, Json];
      return { key, row };
    });
}

/** Removes the rows of a loop that is over, of every attempt that has listed them. */
export async function removeRows(store: Pick<RunStore, 'path'>, step: string): Promise<void> {
  const folder = store.path('loops', step);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await rm(join(folder, entry.name), { recursive: true, force: true });
}
