import { randomUUID } from 'node:crypto';
import { createBundle } from '../test/prove/support-bundle.ts';
import { line } from '../test/prove/proof.ts';
import { outputOf, planOf, startPlan } from '../test/prove/support-run.ts';
import { createStack } from '../test/support/stack.ts';
import { median, type Bench } from './bench.ts';
import { installStep } from './support-own-steps.ts';
import { startServer } from './support-process.ts';

const runs = 20;
const most = 1.15;

const step = `export default defineStep({
  name: 'bench.add',
  input: z.strictObject({ n: z.int() }),
  output: z.object({ n: z.int() }),
  effect: 'safe',
  run: ({ n }) => ({ n: n + 1 }),
});
`;
const steps = `steps:
  one: { use: bench.add, with: { n: 0 } }
  two: { use: bench.add, with: { n: "\${{ steps.one.n }}" } }
  three: { use: bench.add, with: { n: "\${{ steps.two.n }}" } }
`;
/** The same steps without a key, as the workflow written by hand has none, and holding one that no other run has. */
const pipelines = {
  free: `name: three\n${steps}`,
  held: `name: three\nparams: { key: { type: slug } }\nconcurrency: "\${{ params.key }}"\n${steps}`,
};

export const bench: Bench = {
  name: 'latency',
  what: `milliseconds from start to result of three trivial steps, against the same three activities in a hand-written workflow; the file is compiled before, as the workflow is bundled; medians of ${runs} runs each, turn by turn`,
  async run({ note, pairs }) {
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    const installed = await installStep(stack, 'bench.add', step);
    const taskQueue = `hand-${randomUUID()}`;
    await using hand = await startServer<{ ready: true }>('scripts/worker', { address: stack.address, taskQueue });
    void hand;
    /** What is run, made ready: the time begins with its start. */
    type Kind = () => () => Promise<number>;
    const timed = async (kind: Kind): Promise<number> => {
      const act = kind();
      const started = performance.now();
      const n = await act();
      if (n !== 3) throw new Error(`three additions made ${n}`);
      return performance.now() - started;
    };
    const piped =
      (text: string, params: () => Record<string, string> = () => ({})): Kind =>
      () => {
        const plan = planOf(stack, text, params(), { steps: installed });
        return async () => outputOf(await (await startPlan(stack, plan)).ended(), 'three')['n'] as number;
      };
    const ours = piped(pipelines.free);
    const held = piped(pipelines.held, () => ({ key: randomUUID() }));
    const byHand: Kind = () => async () =>
      (
        await stack.client.workflow.execute<(n: number) => Promise<{ n: number }>>('addThree', {
          taskQueue,
          workflowId: randomUUID(),
          args: [0],
        })
      ).n;
    for (let warm = 0; warm < 5; warm++) await Promise.all([ours, held, byHand].map((kind) => kind()()));
    // Turn by turn: a machine that is busy for a second is so for both. What is left to do after a run, as a lock that is given back,
    // falls to the kind that ran: each is compared with the hand-written one alone.
    const against = async (kind: Kind): Promise<{ kind: number; byHand: number }> => {
      const times = { kind: [] as number[], byHand: [] as number[] };
      for (let turn = 0; turn < runs; turn++) {
        if (turn % 2 === 0) times.byHand.push(await timed(byHand));
        times.kind.push(await timed(kind));
        if (turn % 2 === 1) times.byHand.push(await timed(byHand));
      }
      return { kind: median(times.kind), byHand: median(times.byHand) };
    };
    const made: { free: Awaited<ReturnType<typeof against>>; held: Awaited<ReturnType<typeof against>> }[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const last = { free: await against(ours), held: await against(held) };
      made.push(last);
      const text = ({ kind, byHand: hand }: typeof last.free): string =>
        `${kind.toFixed(1)} ms, by hand ${hand.toFixed(1)} ms, ratio ${(kind / hand).toFixed(3)}`;
      note(`pair ${pair + 1}: ours ${text(last.free)}; with a key ${text(last.held)}`);
    }
    const measured = {
      ratio: median(made.map(({ free }) => free.kind / free.byHand)),
      held: median(made.map((each) => each.held.kind / each.held.byHand)),
      ours: median(made.map(({ free }) => free.kind)),
      baseline: median(made.map(({ free }) => free.byHand)),
    };
    return {
      lines: [
        line(
          'latency, pipeline against hand-written workflow',
          `${measured.ratio.toFixed(3)} (${measured.ours.toFixed(0)} ms against ${measured.baseline.toFixed(0)} ms)`,
          `≤ ${most}`,
          measured.ratio <= most,
        ),
        line('the same with a key that the run holds', measured.held.toFixed(3), 'shown', true),
      ],
      figures: { ratio: measured.ratio, withKey: measured.held, ms: measured.ours, byHandMs: measured.baseline },
    };
  },
};
