import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRunStore } from './create-run-store.ts';
import { openIntents, type CallState } from './intents.ts';
import type { RunStore } from './run-store.ts';
import { readSweepItems } from './sweep-items.ts';

/** How a sweep has listed its items: what a rerun reads their fates by. */
export type SweepList = { use: string; list: string; items: number; parts: number; perPart: number; partsPerChunk: number };

/** A run before this one, and its store. */
type Former = { run: string; store: string };

/** What an earlier run knows of an item: how it ended, or `open` where nobody knows. `content`: the hash of the item. */
export type FormerFate<Fate> = { run: string; content: string } & ({ is: 'done'; fate: Fate } | { is: 'open' });

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

/**
 * What earlier runs (newest first) know of the items of a sweep, by their names: of the step of the same name, or, where the file
 * has renamed it, of the only one that used the same code. The newest that knows an item counts: a run may have ended before it
 * came to the step, or have listed other items.
 */
export async function formerFates<Fate>(runs: readonly Former[], step: string, use: string): Promise<Map<string, FormerFate<Fate>>> {
  const fates = new Map<string, FormerFate<Fate>>();
  for (const former of runs.toReversed()) for (const [key, fate] of await fatesOf<Fate>(former, step, use)) fates.set(key, fate);
  return fates;
}

async function fatesOf<Fate>({ run, store }: Former, step: string, use: string): Promise<Map<string, FormerFate<Fate>>> {
  const former = createRunStore(store);
  const fates = new Map<string, FormerFate<Fate>>();
  const found = await findList(former, step, use);
  if (!found) return fates;
  const { list, parts, partsPerChunk } = found.facts;
  for (let chunk = 0; chunk * partsPerChunk < parts; chunk++) {
    const first = chunk * partsPerChunk;
    const items = [];
    for (let part = first; part < Math.min(parts, first + partsPerChunk); part++) items.push(...(await readSweepItems(former, list, part)));
    const taken = await readTaken<Fate>(former, list, chunk);
    const begun = openIntents(former, [found.step, 'chunk', String(chunk)], 'reader').calls();
    for (const [at, { key, item }] of items.entries()) {
      const known = begun.get(String(at));
      const named = { run, content: contentOf(item) };
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

/** What earlier runs (newest first) know of a call of a single step. */
export type FormerCall = {
  /** What the call gave, where one of them has done it. */
  done?: { result: unknown };
  /** The run that may have done the step and does not know; a newer one that came to the step has settled it. */
  open?: string;
};

/** Looks for a call by its name in the journals of earlier runs: a step has one for each input that it was begun with. */
export function formerCall(runs: readonly Former[], step: string, use: string, call?: string): FormerCall {
  const known = runs.map(({ run, store }) => ({ run, calls: callsOf(createRunStore(store), step, use) }));
  const done = known.map(({ calls }) => calls.get(call ?? '')).find((state) => state?.is === 'done');
  const newest = known.find(({ calls }) => calls.size > 0);
  const open = newest && [...newest.calls.values()].some(({ is }) => is === 'open');
  return { ...(done && { done }), ...(open && { open: newest.run }) };
}

const callsOf = (former: RunStore, step: string, use: string): ReadonlyMap<string, CallState> =>
  new Map([...openIntents(former, [step, 'main'], 'reader').calls()].filter(([call]) => call.startsWith(`${use} `)));

/** The newest run whose store is gone, where no newer one came to the step: what it did of the step is not known. */
export async function forgottenBy(runs: readonly Former[], step: string, use: string): Promise<string | undefined> {
  for (const { run, store } of runs) {
    const former = createRunStore(store);
    if (!existsSync(former.path())) return run;
    if ((await findList(former, step, use)) || callsOf(former, step, use).size > 0) return undefined;
  }
  return undefined;
}
