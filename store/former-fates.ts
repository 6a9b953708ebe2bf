import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { openIntents, type CallState } from './intents.ts';
import type { RunStore } from './run-store.ts';
import { readSweepItems } from './sweep-items.ts';

/** How a sweep has listed its items: what a rerun reads their fates by. */
export type SweepList = { use: string; list: string; items: number; parts: number; perPart: number; partsPerChunk: number };

/** What an earlier run knows of an item: how it ended, or `open` where nobody knows. `item`: the item itself, as JSON. */
export type FormerFate<Fate> = { item: string; is: 'done'; fate: Fate } | { item: string; is: 'open' };

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

/**
 * What an earlier run knows of the items of a sweep, by their names: of the step of the same name, or, where the file has renamed it,
 * of the only one that used the same code. Undefined where that run has no such step.
 */
export async function formerFates<Fate>(former: RunStore, step: string, use: string): Promise<Map<string, FormerFate<Fate>> | undefined> {
  const found = await findList(former, step, use);
  if (!found) return undefined;
  const { list, parts, partsPerChunk } = found.facts;
  const fates = new Map<string, FormerFate<Fate>>();
  for (let chunk = 0; chunk * partsPerChunk < parts; chunk++) {
    const first = chunk * partsPerChunk;
    const items = [];
    for (let part = first; part < Math.min(parts, first + partsPerChunk); part++) items.push(...(await readSweepItems(former, list, part)));
    const taken = await readTaken<Fate>(former, list, chunk);
    const begun = openIntents(former, [found.step, 'chunk', String(chunk)], 'reader').calls();
    for (const [at, { key, item }] of items.entries()) {
      const known = begun.get(String(at));
      const named = { item };
      if (known?.is === 'done') fates.set(key, { ...named, is: 'done', fate: known.result as Fate });
      else if (known?.is === 'open') fates.set(key, { ...named, is: 'open' });
      else if (taken[at]) fates.set(key, { ...named, is: 'done', fate: taken[at] });
    }
  }
  return fates;
}

async function findList(former: RunStore, step: string, use: string): Promise<{ step: string; facts: SweepList } | undefined> {
  const own = await former.readJson<SweepList>(listFile(step));
  if (own?.use === use) return { step, facts: own };
  const others: { step: string; facts: SweepList }[] = [];
  for (const name of await readdir(former.path('sweeps')).catch((): string[] => [])) {
    const file = former.path(listFile(name));
    if (name === step || !existsSync(file)) continue;
    const facts = JSON.parse(await readFile(file, 'utf8')) as SweepList;
    if (facts.use === use) others.push({ step: name, facts });
  }
  return others.length === 1 ? others[0] : undefined;
}

/** What an earlier run knows of the call of a step, by its name in the journal: of one effect for each input it was begun with. */
export const formerCalls = (former: RunStore, step: string, use: string): ReadonlyMap<string, CallState> =>
  new Map([...openIntents(former, [step, 'main'], 'reader').calls()].filter(([call]) => call.startsWith(`${use} `)));
