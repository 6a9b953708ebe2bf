import { existsSync } from 'node:fs';
import type { Counts } from '../../pipelines/phases.ts';
import { writeWhole } from '../../files/whole-file.ts';
import { firstTexts } from '../../child/ids-files.ts';
import type { FateGroup, ItemRecord, RunStore } from '../../store/run-store.ts';

type Fates = Pick<RunStore, 'fates' | 'path' | 'readItems'>;

/** What became of the items of one chunk, as its attempts learn it. */
export type ChunkLedger = {
  /** `ifOver`: they count only where the run ends with this attempt. */
  add: (groups: readonly FateGroup[], when?: { ifOver: boolean }) => void;
  /** Items that were sent, of which nobody knows what became of them. */
  unknown: (items: readonly string[], reason: string) => void;
  /** Notes that something is sent; `wasSent` is true from then on, for every attempt. */
  sends: () => Promise<void>;
  wasSent: () => boolean;
  /** Writes the ledger of a chunk that has ended. */
  write: () => Promise<void>;
  /** The same for an attempt that did not end its chunk: what those before it knew stays. Returns what is known of the chunk now. */
  writePart: () => Promise<Counts>;
  /** The same where the run ends with it. `sent`: of those that no attempt knows, nobody knows what became of them. */
  writeOver: (sent?: readonly string[]) => Promise<Counts>;
};

const unanswered = 'was under way when the run ended, and no answer was seen';

const isUnknown = ({ fate }: Pick<FateGroup, 'fate'>): boolean => fate.status === 'unknown';

const idsOf = ({ items }: FateGroup): readonly string[] => ('encoded' in items ? firstTexts(items, Infinity) : items);

/** `attempt`: which one of the chunk's activity this is. */
export function openChunkLedger(store: Fates, step: string, chunk: number, attempt: number): ChunkLedger {
  let groups: FateGroup[] = [];
  const last: FateGroup[] = [];
  // Asked for by whoever uses it: a store that is gone fails the attempt, not what opens its ledger.
  const mark = (): string => store.path('sent', step, String(chunk));
  /** What this attempt knows, and below it what those before it knew. */
  const merged = (before: readonly ItemRecord[]): FateGroup[] => {
    const known = new Set(before.flatMap(({ item, status }) => (status === 'unknown' ? [] : [item])));
    const now = groups.flatMap((group): FateGroup[] =>
      isUnknown(group) ? [{ ...group, items: idsOf(group).filter((id) => !known.has(id)) }] : [group],
    );
    const named = new Set(now.flatMap(idsOf));
    const left = before.flatMap(({ item, status, reason, attempts, request_id }): FateGroup[] =>
      named.has(item)
        ? []
        : [{ items: [item], fate: { status, attempts, ...(reason ? { reason } : {}), ...(request_id ? { request_id } : {}) } }],
    );
    return [...now, ...left].filter((group) => idsOf(group).length > 0);
  };
  const writePart = async (): Promise<Counts> => {
    const before = await store.readItems({ step, chunk });
    const known = groups.length > 0;
    groups = merged(before);
    if (known) await store.fates(step, chunk, groups);
    return countsOf(groups);
  };
  const unknown = (items: readonly string[], reason: string): void =>
    void groups.push({ items, fate: { status: 'unknown', reason, attempts: attempt } });
  return {
    add: (more, { ifOver } = { ifOver: false }) => void (ifOver ? last : groups).push(...more),
    unknown,
    sends: async () => writeWhole(mark(), '', { synced: false }),
    wasSent: () => existsSync(mark()),
    write: () => store.fates(step, chunk, groups),
    writePart,
    writeOver: (sent = []) => {
      groups.push(...last);
      const named = new Set(sent.length > 0 ? groups.flatMap(idsOf) : []);
      const left = sent.filter((id) => !named.has(id));
      if (left.length > 0) unknown(left, unanswered);
      return writePart();
    },
  };
}

/** As a chunk that has ended counts: `done` are the items that have a fate, every other fate has its own word. */
function countsOf(groups: readonly FateGroup[]): Counts {
  const counts: Counts = {};
  const count = (name: string, more: number): void => void (counts[name] = (counts[name] ?? 0) + more);
  for (const group of groups) {
    const { length } = idsOf(group);
    count('done', length);
    if (group.fate.status !== 'done') count(group.fate.status, length);
  }
  return counts;
}
