import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { DamagedFile } from '../errors/classes.ts';
import { recordsOf, standing, type AskedStep, type Lost } from './former-runs.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { chainsOf } from '../pipelines/undo-ids.ts';
import { openIntents } from './intents.ts';
import type { RunStore } from './run-store.ts';
import { hasSweepItems, readSweepItems } from './sweep-items.ts';

/** How a sweep has listed its items: what a rerun reads their fates by. `asked`: what is asked of all of them, where that is compared. */
export type SweepList = {
  use: string;
  list: string;
  items: number;
  parts: number;
  perPart: number;
  partsPerChunk: number;
  asked?: string;
};

/**
 * What is known of an item: how it ended, `open` where its run does not know, `new` where it was listed and nothing of it done, `lost`
 * where the records are gone. `content`: the hash of the item.
 */
export type FormerFate<Fate> =
  | ({ run: string; content: string } & ({ is: 'done'; fate: Fate } | { is: 'open' } | { is: 'new' }))
  | ({ is: 'lost' } & Lost);

/** Hash of an item, as JSON: a million items need not be held to see that one is another. */
export const contentOf = (item: string): string => createHash('sha256').update(item).digest('base64');

const listFile = (step: string): string => `sweeps/${step}/list.json`;

const takenFile = (list: string, chunk: number): string => `sweeps/${list}/taken-${String(chunk).padStart(5, '0')}.json`;

/** Keeps how the items were listed. */
export const writeSweepList = (store: Pick<RunStore, 'writeJson'>, step: string, list: SweepList): Promise<void> =>
  store.writeJson(listFile(step), list);

/** Fates that a chunk takes over, by the number of the item in it. */
export type Taken<Fate> = { [at: number]: Fate };

export const writeTaken = <Fate>(store: Pick<RunStore, 'writeJson'>, list: string, chunk: number, taken: Taken<Fate>): Promise<void> =>
  store.writeJson(takenFile(list, chunk), taken);

export const readTaken = async <Fate>(store: Pick<RunStore, 'readJson'>, list: string, chunk: number): Promise<Taken<Fate>> =>
  (await store.readJson<Taken<Fate>>(takenFile(list, chunk))) ?? {};

/** What earlier runs know of the items of a sweep. */
export type FormerFates<Fate> = {
  /** By the names of the items. */
  fates: ReadonlyMap<string, FormerFate<Fate>>;
  /** The newest run whose records are gone: it may have done any item that is not named. */
  lost?: Lost;
  /** No newer run than that one came to the step: it may have done any of its items. */
  lostLast: boolean;
};

/**
 * What earlier runs (newest first) know of the items of a sweep. The newest that has listed an item counts: it had taken over what was
 * known before. A run may have ended before it came to the step, or have listed other items. What other runs have taken back counts beside it.
 */
export async function formerFates<Fate extends { status: string }>(
  runs: readonly FormerRun[],
  asked: AskedStep,
  use: string,
): Promise<FormerFates<Fate>> {
  const [first, ...others] = await Promise.all(chainsOf(runs).map((chain) => fatesOfChain<Fate>(chain, asked, use)));
  if (!first || others.length === 0) return first ?? { fates: new Map(), lostLast: false };
  const fates = new Map(first.fates);
  for (const other of others)
    for (const [key, fate] of other.fates) {
      const own = fates.get(key);
      if (!own || (!isSettled(own) && fate.is !== 'new')) fates.set(key, fate);
    }
  const known = [first, ...others];
  const { lost } = known.find((each) => each.lost) ?? {};
  return { fates, ...(lost && { lost }), lostLast: known.some(({ lostLast }) => lostLast) };
}

const isSettled = (known: FormerFate<{ status: string }>): boolean =>
  known.is === 'done' && known.fate.status !== 'failed' && known.fate.status !== 'unknown';

async function fatesOfChain<Fate extends { status: string }>(
  runs: readonly FormerRun[],
  asked: AskedStep,
  use: string,
): Promise<FormerFates<Fate>> {
  const fates = new Map<string, FormerFate<Fate>>();
  let lost: Lost | undefined;
  let lostLast = false;
  for (const former of (await standing(runs, asked)).toReversed()) {
    const known = await fatesOf<Fate>(former, asked, use).catch((error: unknown): Lost => {
      if (error instanceof DamagedFile) return { run: former.run, why: error.message };
      throw error;
    });
    if ('why' in known) {
      lost = known;
      // It may have done what was left; what was done stays so.
      for (const [key, fate] of fates) if (fate.is !== 'done' || fate.fate.status === 'failed') fates.set(key, { ...known, is: 'lost' });
    } else for (const [key, fate] of known.fates ?? []) fates.set(key, fate);
    if ('why' in known || known.fates) lostLast = 'why' in known;
  }
  return { fates, ...(lost && { lost }), lostLast };
}

/** By the items of one run; undefined where it never came to the step. */
async function fatesOf<Fate>(of: FormerRun, asked: AskedStep, use: string): Promise<{ fates?: Map<string, FormerFate<Fate>> } | Lost> {
  const { run } = of;
  const records = await recordsOf(of, asked);
  if (!records) return {};
  if ('why' in records) return records;
  const { former, name } = records;
  const facts = await former.readJson<SweepList>(listFile(name));
  if (facts?.use !== use) return (await hasBegun(former, name, use)) ? { run, why: 'its list of items is gone' } : {};
  const { list, parts, partsPerChunk } = facts;
  const fates = new Map<string, FormerFate<Fate>>();
  for (let chunk = 0; chunk * partsPerChunk < parts; chunk++) {
    const first = chunk * partsPerChunk;
    const items = [];
    for (let part = first; part < Math.min(parts, first + partsPerChunk); part++) {
      if (!hasSweepItems(former, list, part)) return { run, why: 'a part of its list of items is gone' };
      items.push(...(await readSweepItems(former, list, part)));
    }
    const taken = await readTaken<Fate>(former, list, chunk);
    const begun = openIntents(former, [name, 'chunk', String(chunk)], 'reader').calls();
    // Asked only where the journal names an item nowhere: a query for each chunk is dear.
    let inLedger: ReadonlySet<string> | undefined;
    for (const [at, { key, item }] of items.entries()) {
      const known = begun.get(String(at));
      const named = { run, content: contentOf(item) };
      if (known?.is === 'done') fates.set(key, { ...named, is: 'done', fate: known.result as Fate });
      else if (known?.is === 'open') fates.set(key, { ...named, is: 'open' });
      else if (taken[at]) fates.set(key, { ...named, is: 'done', fate: taken[at] });
      else if (!known && (inLedger ??= await ledgerOf(former, name, chunk)).has(key)) return { run, why: 'its journal is gone' };
      else fates.set(key, { ...named, is: 'new' });
    }
  }
  return { fates };
}

const ledgerOf = async (former: RunStore, step: string, chunk: number): Promise<ReadonlySet<string>> =>
  new Set((await former.readItems({ step, chunk })).map(({ item }) => item));

/** Whether an item of a sweep was begun: the list is written before. */
async function hasBegun(former: RunStore, step: string, use: string): Promise<boolean> {
  const chunks = existsSync(former.path('intents', step, 'chunk')) ? await readdir(former.path('intents', step, 'chunk')) : [];
  return chunks.some((chunk) =>
    [...openIntents(former, [step, 'chunk', chunk], 'reader').calls().values()].some(
      ({ is, intents }) => is !== 'new' && intents.some(({ operation }) => operation === use),
    ),
  );
}
