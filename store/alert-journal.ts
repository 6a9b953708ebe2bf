import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stepOfFolder } from './instance-folder.ts';
import { openIntents } from './intents.ts';
import type { RunStore } from './run-store.ts';

/** Folder beside those of steps, whose ids have no such sign. */
const folder = '@alerts';

/** How an alert ended. */
export type Delivery = { is: 'sent' | 'unknown' | 'failed'; note: string; at: string };

/** What is known of an alert for one channel, of all attempts to send it. */
export type AlertJournal = {
  known(): { is: 'new' } | { is: 'begun' } | { is: 'over'; delivery: Delivery };
  /** On the disk when it resolves: then it may be sent. */
  begin(kind: string): Promise<void>;
  /** It had no effect. */
  withdraw(): void;
  over(end: Omit<Delivery, 'at'>): Delivery;
  close(): Promise<void>;
};

/** What an alert is about: it is journalled in the store of its run, or that of schedules. */
export type AlertOf = { on: string; step?: string; schedule?: { name: string; since: string } };

/** What an alert says stands here from the first attempt on: every channel and every later attempt gets these words. */
export const alertFile = (alert: AlertOf): string => `${join('alerts', ...placeOf(alert).slice(1))}.json`;

const placeOf = ({ on, schedule, step = schedule ? `${schedule.name} ${schedule.since}` : '' }: AlertOf): string[] => [
  folder,
  on,
  ...(step === '' ? [] : [step]),
];

/** Opens the journal of an alert. `lookUp: false`: nothing is known of earlier attempts, in proofs that show what happens then. */
export function openAlertJournal(
  store: RunStore,
  alert: AlertOf,
  channel: string,
  writer: string,
  { lookUp }: { lookUp: boolean },
): AlertJournal {
  const intents = openIntents(store, placeOf(alert), writer);
  return {
    known() {
      const state = lookUp ? intents.state(channel) : undefined;
      if (state?.is === 'done') return { is: 'over', delivery: state.result as Delivery };
      return { is: state?.is === 'open' ? 'begun' : 'new' };
    },
    begin: (kind) => intents.begin(channel, { operation: kind }),
    withdraw: () => intents.withdraw(channel),
    over(end) {
      const delivery = { ...end, at: new Date().toISOString() };
      intents.done(channel, delivery);
      return delivery;
    },
    close: () => intents.close(),
  };
}

/** What became of an alert for one channel: how it ended, or that it is tried (again). */
export type AlertFate = AlertOf & { channel: string } & ({ is: 'trying' } | Delivery);

/** Every alert of a run for each of its channels, in the order in which they ended; those that are tried come last. */
export async function readAlerts(store: RunStore): Promise<AlertFate[]> {
  const found: AlertFate[] = [];
  for (const on of await foldersIn(store.path('intents', folder)))
    for (const step of ['', ...(await foldersIn(store.path('intents', folder, on)))]) {
      const alert: AlertOf = { on, ...(step === '' ? {} : { step: stepOfFolder(step) }) };
      for (const [channel, state] of openIntents(store, placeOf(alert), 'reader').calls())
        if (state.is !== 'new') found.push({ ...alert, channel, ...(state.is === 'done' ? (state.result as Delivery) : { is: 'trying' }) });
    }
  const at = (fate: AlertFate): string => (fate.is === 'trying' ? '~' : fate.at);
  return found.sort((a, b) => (at(a) < at(b) ? -1 : 1));
}

const foldersIn = async (path: string): Promise<string[]> =>
  (await readdir(path, { withFileTypes: true }).catch(() => [])).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
