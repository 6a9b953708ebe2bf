import type { Holder } from '../../pipelines/lock.ts';

/** A run was inside, or left, at a time in milliseconds. */
export type Mark = { key: string; run: string; is: 'in' | 'out'; at: number };
/** When the server knew a run as ended. */
export type Held = { key: string; run: string; ended: number; terminated: boolean };

/** How many times a run came in while another one of its key had not left for the last time; one that was terminated had left by then. */
export function overlapsIn(marks: readonly Mark[], times: readonly Held[]): number {
  const known = new Map(times.map((each) => [each.run, each]));
  const spans = [...Map.groupBy(marks, ({ run }) => run)].map(([run, of]) => {
    const { key, terminated, ended } = known.get(run)!;
    const from = Math.min(...of.map(({ at }) => at));
    return { key, from, to: terminated ? Math.max(from, ended) : Math.max(...of.map(({ at }) => at)), dead: terminated && from >= ended };
  });
  let overlaps = 0;
  for (const of of Map.groupBy(
    // What a terminated run still did is no matter of its key: its step is given up when the server is asked next.
    spans.filter(({ dead }) => !dead),
    ({ key }) => key,
  ).values()) {
    const sorted = of.toSorted((a, b) => a.from - b.from);
    let to = -Infinity;
    for (const span of sorted) {
      if (span.from < to) overlaps++;
      to = Math.max(to, span.to);
    }
  }
  return overlaps;
}

/** Milliseconds from the end of each holder to the time since when the next one held the key; 0 where it asked later or was quicker. */
export function handoversOf(holders: readonly Holder[], times: readonly Held[]): number[] {
  const ends = new Map(times.map(({ run, ended }) => [run, ended]));
  const since = [...new Map(holders.map((each) => [each.run, Date.parse(each.since)]))].toSorted(([, a], [, b]) => a - b);
  return since.slice(1).map(([, at], index) => Math.max(0, at - ends.get(since[index]![0])!));
}
