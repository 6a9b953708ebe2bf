import { createStack, type Stack } from '../support/stack.ts';
import { line, type Proof } from './proof.ts';
import { agentPipeline, liftLimits, own, writeNotes } from './support-agents.ts';
import { createBundle } from './support-bundle.ts';
import { startText } from './support-run.ts';

/** Dollars that an agent of these notes costs, about: what the caps of the runs are drawn from. */
const about = 0.000_2;

/** A run of so many notes under a cap in total, and what it has cost. */
async function spend(stack: Stack, items: string, cap: object | undefined): Promise<{ cost: number; statuses: Record<string, number> }> {
  const run = await startText(
    stack,
    agentPipeline(items, { everySeconds: 0.25, ...(cap ? { cap } : {}) }, { tolerate: { capped: '100%', failed: '100%' } }),
    {},
    own,
  );
  const { outputs = {}, error, state } = await run.ended(600_000);
  if (state !== 'done') throw new Error(`a run ended ${state}: ${error?.message}`);
  return { cost: Number(outputs['cost']), statuses: outputs['statuses'] as Record<string, number> };
}

export const proof: Proof = {
  name: 'agent-caps',
  sets: ['agents'],
  what: 'runs under caps in total, drawn: none spends more than its cap and what agents under way spend beyond what was set aside; a cap of 0 launches none',
  async run({ note, short }) {
    const runs = short ? 4 : 50;
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    await liftLimits(stack);
    await stack.control.agents({ pace: { from: 0, to: 0.2 } });
    const items = await writeNotes(stack, 'capped', 6);
    let beyond = 0;
    let capped = 0;
    let most = 0;
    for (let at = 0; at < runs; at++) {
      // From room for a part of the agents to room for all of them.
      const item = about * (1 + (at % 5));
      const total = item * (0.5 + (at % 7));
      const { cost, statuses } = await spend(stack, items, { item, total });
      if (cost > total) beyond++;
      if ((statuses['capped'] ?? 0) > 0) capped++;
      most = Math.max(most, cost / total);
    }
    note(`${runs} runs, ${capped} of them came to their cap; the dearest spent ${(100 * most).toFixed(0)} % of it`);
    const before = (await stack.control.journal()).rows.length;
    const none = await spend(stack, items, { item: 0 });
    const launched = (await stack.control.journal()).rows
      .slice(before)
      .filter(({ operation }) => operation === 'instance.agents.launch').length;
    const free = await spend(stack, items, undefined);
    return [
      line('runs that spent more than their cap', `${beyond} of ${runs}`, '0', beyond === 0),
      line('runs in which an agent was not launched for it', capped, '> 0', capped > 0),
      line('launched under a cap of 0', launched, '0', launched === 0 && none.cost === 0),
      line(
        'control, the same notes without a cap',
        `${free.cost.toFixed(6)} $`,
        `> the least cap, ${(about * 0.5).toFixed(6)} $`,
        free.cost > about * 0.5,
      ),
    ];
  },
};
