import type { Asker, Holder, LockRun } from '../../pipelines/lock.ts';

/** Who holds the key, and who waits for it, in the order of asking. */
export type LockState = { holder?: Holder; waiting: Asker[] };

export type LockEvent =
  | { is: 'ask'; asker: Asker }
  /** The run is over, or does not want the key any more. */
  | { is: 'release'; firstRunId: string }
  /** The holder was looked at and goes on. */
  | { is: 'open'; firstRunId: string };

export type LockCommand =
  | { do: 'grant'; to: LockRun }
  | { do: 'refuse'; to: LockRun; holder: Holder }
  | { do: 'cancel'; run: LockRun; for: LockRun };

/** The lock: one event in, commands out. Doubled events change nothing. `at`: the time now, ISO 8601. */
export function reduceLock(state: LockState, event: LockEvent, at: string): LockCommand[] {
  switch (event.is) {
    case 'ask':
      return ask(state, event.asker, at);
    case 'release':
      state.waiting = state.waiting.filter(({ firstRunId }) => firstRunId !== event.firstRunId);
      if (state.holder?.firstRunId !== event.firstRunId) return [];
      delete state.holder;
      return handOver(state, at);
    case 'open':
      return state.holder?.firstRunId === event.firstRunId ? refuse(state, state.holder) : [];
  }
}

/** True while somebody waits who takes no wait: the holder is to be looked at now. */
export const isDue = ({ holder, waiting }: LockState): boolean => holder !== undefined && waiting.some(({ when }) => when === 'reject');

/** True of a lock that holds nothing for anybody. */
export const isIdle = ({ holder, waiting }: LockState): boolean => holder === undefined && waiting.length === 0;

function ask(state: LockState, asker: Asker, at: string): LockCommand[] {
  const { holder, waiting } = state;
  // What was asked twice, because an attempt did not see the answer, is granted once.
  if (holder?.firstRunId === asker.firstRunId) return [{ do: 'grant', to: holder }];
  if (waiting.some(({ firstRunId }) => firstRunId === asker.firstRunId)) return [];
  state.waiting = [...waiting, asker];
  if (!holder) return handOver(state, at);
  if (asker.when !== 'cancelOlder') return [];
  state.waiting = [...waiting.filter(({ undoes }) => undoes), asker];
  return [holder, ...waiting].flatMap((run) => (run.undoes ? [] : [{ do: 'cancel', run, for: asker }]));
}

function handOver(state: LockState, at: string): LockCommand[] {
  const next = state.waiting.shift();
  if (!next) return [];
  const { when: _, ...run } = next;
  state.holder = { ...run, since: at };
  return [{ do: 'grant', to: run }];
}

function refuse(state: LockState, holder: Holder): LockCommand[] {
  const refused = state.waiting.filter(({ when }) => when === 'reject');
  state.waiting = state.waiting.filter(({ when }) => when !== 'reject');
  return refused.map((to) => ({ do: 'refuse', to, holder }));
}
