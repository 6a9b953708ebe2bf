import { readFile } from 'node:fs/promises';
import type { Holder } from '../../pipelines/lock.ts';

/** A run was inside, or left, at a time in milliseconds; `by`: the process of its worker. */
export type Mark = { key: string; run: string; is: 'in' | 'out'; at: number; by: number };
/** When the server knew a run as ended. */
export type Held = { key: string; run: string; ended: number; terminated: boolean };
/** Who had a key; `free`: nobody had it, and nobody had asked for it. */
export type Had = Holder & { free: boolean };

/** A step that says when it is inside, again and again, and when it leaves: whoever holds the key has it for himself. It hears that it is over. */
export const insideStep = (file: string): string => `import { appendFileSync } from 'node:fs';
export default defineStep({
  name: 'prove.inside',
  input: z.strictObject({ key: z.string(), run: z.string(), stays: z.int() }),
  output: z.object({ left: z.boolean() }),
  effect: 'safe',
  run: async ({ key, run, stays }, { signal }) => {
    const mark = (is) => appendFileSync(${JSON.stringify(file)}, JSON.stringify({ key, run, is, at: Date.now(), by: process.pid }) + '\\n');
    for (let left = stays; left > 0 && !signal.aborted; left -= 50) {
      mark('in');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    mark('out');
    return { left: true };
  },
});
`;

/** What the steps have said so far. */
export async function marksIn(file: string): Promise<Mark[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  // The last line may be half written.
  return text
    .split('\n')
    .slice(0, -1)
    .map((each) => JSON.parse(each) as Mark);
}

/**
 * How many times a run came in while another one of its key had not left for the last time. One that was terminated had the key until
 * then; what it does afterwards counts too, because the next one is to begin when nothing of it is sent any more.
 */
export function overlapsIn(marks: readonly Mark[], times: readonly Held[]): number {
  const known = new Map(times.map((each) => [each.run, each]));
  const spans = [...Map.groupBy(marks, ({ run }) => run)].map(([run, of]) => {
    const { key, terminated, ended } = known.get(run)!;
    const moments = [...of.map(({ at }) => at), ...(terminated ? [ended] : [])];
    return { key, from: Math.min(...moments), to: Math.max(...moments) };
  });
  let overlaps = 0;
  for (const of of Map.groupBy(spans, ({ key }) => key).values()) {
    const sorted = of.toSorted((a, b) => a.from - b.from);
    let to = -Infinity;
    for (const span of sorted) {
      if (span.from < to) overlaps++;
      to = Math.max(to, span.to);
    }
  }
  return overlaps;
}

/**
 * Milliseconds from the end of each holder to the time since when the next one, which waited for the key, had it; 0 where it was quicker.
 * A run that was terminated while it waited has it for the moment in which its lock cannot reach it.
 */
export function handoversOf(holders: readonly Had[], times: readonly Held[]): number[] {
  const ends = new Map(times.map(({ run, ended }) => [run, ended]));
  // A lock that continues as a new one names its holder again.
  const each = [...Map.groupBy(holders, ({ run }) => run)].map(([run, of]) => ({
    run,
    free: of.some(({ free }) => free),
    at: Date.parse(of[0]!.since),
  }));
  const sorted = each.toSorted((a, b) => a.at - b.at);
  return sorted.slice(1).flatMap(({ at, free }, index) => {
    const before = sorted[index]!;
    return free ? [] : [Math.max(0, at - Math.max(before.at, ends.get(before.run)!))];
  });
}

/** Milliseconds for which runs that were terminated went on after their end, of those that did. */
export function afterEnds(marks: readonly Mark[], times: readonly Held[]): number[] {
  const ends = new Map(times.filter(({ terminated }) => terminated).map(({ run, ended }) => [run, ended]));
  return [...Map.groupBy(marks, ({ run }) => run)]
    .map(([run, of]) => Math.max(...of.map(({ at }) => at)) - (ends.get(run) ?? Infinity))
    .filter((ms) => ms > 0);
}
