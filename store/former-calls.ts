import { openIntents, type CallState, type Intent } from './intents.ts';
import { recordsOf, standing, type AskedStep, type Lost } from './former-runs.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { chainsOf } from '../pipelines/undo-ids.ts';

/** What earlier runs (newest first) know of a call of a single step. */
export type FormerCall = {
  /** What the call gave, where one of them has done it. */
  done?: { result: unknown; by: FormerRun };
  /** The run that may have done the step and does not know; a newer one that came to the step has settled it. */
  open?: string;
  /** What that run wrote down before it sent this very call, of which it does not know. */
  intents?: readonly Intent[];
  /** The run that may have done the step and whose records are gone; likewise. */
  lost?: Lost;
};

/** Looks for a call by its name in the journals of earlier runs: a step has one for each input that it was begun with. */
export async function formerCall(runs: readonly FormerRun[], asked: AskedStep, use: string, call?: string): Promise<FormerCall> {
  const known: FormerCall[] = [];
  for (const chain of chainsOf(runs)) known.push(await callOfChain(chain, asked, use, call));
  // What one of them has settled is settled for all.
  return known.find(({ done }) => done) ?? known.find(({ open, lost }) => open ?? lost) ?? {};
}

async function callOfChain(runs: readonly FormerRun[], asked: AskedStep, use: string, call: string | undefined): Promise<FormerCall> {
  const known: Calls[] = [];
  for (const former of await standing(runs, asked)) known.push(await callsOf(former, asked, use));
  const done = known.flatMap(({ by, calls }) => {
    const state = calls?.get(call ?? '');
    return state?.is === 'done' ? [{ result: state.result, by }] : [];
  })[0];
  const newest = known.find(({ calls }) => calls?.size !== 0);
  const open = [...(newest?.calls?.values() ?? [])].some(({ is }) => is === 'open');
  const own = newest?.calls?.get(call ?? '');
  return {
    ...(done && { done }),
    ...(open && { open: newest!.by.run }),
    ...(own?.is === 'open' && { intents: own.intents }),
    ...(newest?.lost && { lost: newest.lost }),
  };
}

type Calls = { by: FormerRun; calls?: ReadonlyMap<string, CallState>; lost?: Lost };

async function callsOf(former: FormerRun, asked: AskedStep, use: string): Promise<Calls> {
  const records = await recordsOf(former, asked);
  if (!records) return { by: former, calls: new Map() };
  if ('why' in records) return { by: former, lost: records };
  const calls = openIntents(records.former, [records.name, 'main'], 'reader').calls();
  return { by: former, calls: new Map([...calls].filter(([call]) => call.startsWith(`${use} `))) };
}
