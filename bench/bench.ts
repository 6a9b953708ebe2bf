import type { Line } from '../test/prove/proof.ts';

/** One comparison against a stated baseline, both measured in the same run. */
export type Bench = {
  /** Kebab-case name for the command line. */
  name: string;
  /** What is compared with what, in one line. */
  what: string;
  /** A bar that is missed is a line with `ok: false`. `figures` become part of the JSON object at the end. */
  run(context: { note: (line: string) => void; pairs: number }): Promise<{ lines: Line[]; figures: Record<string, number> }>;
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/**
 * Measures ours and the baseline in alternation, which of them first changing from pair to pair, so that a machine that
 * warms up or slows down favours neither. Returns both figures of each pair and the median of their ratios (ours / baseline).
 */
export async function inPairs(
  pairs: number,
  ours: () => Promise<number>,
  baseline: () => Promise<number>,
  note: (line: string) => void,
): Promise<{ ours: number; baseline: number; ratio: number; ratios: number[] }> {
  const made: { ours: number; baseline: number }[] = [];
  for (let at = 0; at < pairs; at++) {
    const pair = { ours: 0, baseline: 0 };
    if (at % 2 === 0) pair.baseline = await baseline();
    pair.ours = await ours();
    if (at % 2 === 1) pair.baseline = await baseline();
    note(
      `pair ${at + 1}: ours ${pair.ours.toFixed(2)}, baseline ${pair.baseline.toFixed(2)}, ratio ${(pair.ours / pair.baseline).toFixed(3)}`,
    );
    made.push(pair);
  }
  const ratios = made.map((pair) => pair.ours / pair.baseline);
  return {
    ours: median(made.map((pair) => pair.ours)),
    baseline: median(made.map((pair) => pair.baseline)),
    ratio: median(ratios),
    ratios,
  };
}
