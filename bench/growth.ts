import { parse } from '../pipelines/file/parse.ts';
import { limits } from '../pipelines/file/yaml/yaml-limits.ts';
import { assignTiles } from '../service/engine/projection/quadtree.ts';
import { randomCoordinates } from '../service/engine/projection/random.ts';
import { findings } from '../test/pipelines/support.ts';
import { hostile } from '../test/pipelines/hostile-yaml.ts';
import { line } from '../test/prove/proof.ts';
import { inPairs, type Bench } from './bench.ts';

/** Work over n of something. Twice as much takes twice as long where it grows with n, four times where it grows with its square. */
type Growth = { what: string; n: number; work: (n: number) => () => unknown };

const chain = (steps: number): string =>
  `name: many\nsteps:\n${Array.from({ length: steps }, (_, at) => `  s${at}:\n    use: acme.sample\n    with:\n      text: \${{ ${at === 0 ? 'run.id' : `steps.s${at - 1}.text + "x"`} }}\n`).join('')}`;

const growths: readonly Growth[] = [
  ...Object.keys(hostile(100)).map((name): Growth => {
    const text = (n: number): string => hostile(n)[name]!;
    return { what: `reading a file of ${name}`, n: limits.bytes / 2 - 10, work: (n) => () => parse(text(n)) };
  }),
  { what: 'checking a chain of steps', n: 100, work: (n) => () => findings(chain(n)) },
  {
    what: 'dealing points to tiles',
    n: 100_000,
    work: (n) => {
      const xy = randomCoordinates(n, 'a');
      return () => assignTiles(xy);
    },
  },
  {
    what: 'dealing equal points to tiles',
    n: 100_000,
    work: (n) => {
      const xy = new Float32Array(n * 2).fill(0.3);
      return () => assignTiles(xy);
    },
  },
];

/** The control: what grows with the square of n. */
const square: Growth = {
  what: 'control, every pair of n',
  n: 5_000,
  work: (n) => () => {
    let sum = 0;
    for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) sum = (sum + a * b) % 97;
    return sum;
  },
};

/** Milliseconds of processor time: on a busy machine the clock measures the neighbours. */
const cpuMs = (work: () => unknown): number => {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
};

const most = 3.2;
const least = 20;

export const bench: Bench = {
  name: 'growth',
  what: 'processor time of work over 2n against the same over n: hostile pipeline files, long ones, tiles of a map',
  async run({ pairs }) {
    const made: { what: string; ours: number; baseline: number; ratio: number }[] = [];
    for (const { what, n, work } of [...growths, square]) {
      const [twice, once] = [work(2 * n), work(n)];
      // What is new to the engine takes longer: both sizes are worked on once before.
      once();
      twice();
      const { ours, baseline, ratio } = await inPairs(
        pairs,
        async () => cpuMs(twice),
        async () => cpuMs(once),
        () => undefined,
      );
      made.push({ what, ours, baseline, ratio });
    }
    return {
      lines: made.map(({ what, ours, baseline, ratio }) => {
        const figure = `${ratio.toFixed(2)} (${ours.toFixed(1)} / ${baseline.toFixed(1)} ms)`;
        if (what === square.what) return line(what, figure, `> ${most}`, ratio > most);
        // Of less than that the noise is measured.
        return line(what, figure, `≤ ${most}, or < ${least} ms`, ratio <= most || ours < least);
      }),
      figures: Object.fromEntries(made.map(({ what, ratio }) => [what.replaceAll(' ', '_'), ratio])),
    };
  },
};
