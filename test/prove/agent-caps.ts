import { createStack, type Stack } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { liftLimits, writeNotes } from './support-agents.ts';
import { costsByTurns, promptedBeyond, spend, type Spent } from './support-agent-spend.ts';
import { createBundle } from './support-bundle.ts';

/** Dollars that an agent of these notes costs, about: what the caps of the runs are drawn from. */
const about = 0.000_2;

/** Most prompts of an agent that is prompted further whatever it says. */
const turns = 4;

const launchedIn = async ({ control }: Stack, from: number): Promise<number> =>
  (await control.journal()).rows.slice(from).filter(({ operation }) => operation === 'instance.agents.launch').length;

const hasCapped = ({ statuses }: Spent): boolean => (statuses['capped'] ?? 0) > 0;

/** Runs whose agents are prompted further until their cap, or that of all: what was spent beyond what was set aside, and prompts that were sent though the cap was spent. */
async function further(stack: Stack, items: string, runs: number, note: (text: string) => void): Promise<Line[]> {
  const costs = await costsByTurns(stack, items, turns);
  const once = Math.max(...costs.map((each) => each[0]!));
  let [over, beyond, capped, prompts] = [0, 0, 0, 0];
  for (let at = 0; at < runs; at++) {
    // From room for less than a turn of one to room for all of them.
    const item = once * (0.7 + 0.6 * (at % 5));
    const total = item * (1 + 1.1 * (at % 7));
    const spent = await spend(stack, items, { cap: { item, total }, turns });
    const aside = spent.rows.reduce((sum, { cost }) => sum + Math.max(0, cost - item), 0);
    if (spent.cost > total + aside + 1e-9) over++;
    beyond += promptedBeyond(spent.rows, costs, item);
    prompts += spent.rows.reduce((sum, row) => sum + Math.max(0, row.turns - 1), 0);
    if (hasCapped(spent)) capped++;
  }
  note(`${runs} runs with further prompts: ${prompts} of them sent, ${capped} runs came to a cap`);
  const free = await spend(stack, items, { turns });
  const control = promptedBeyond(free.rows, costs, once * 0.7);
  return [
    line('runs with further prompts that spent more than their cap and what turns cost beyond what was set aside', over, '0', over === 0),
    line('further prompts that were sent though the cap of their agent was spent', beyond, '0', beyond === 0),
    line('further prompts under caps, and runs in which one was not sent', `${prompts}, ${capped}`, '> 0', prompts > 0 && capped > 0),
    line('control, the same without a cap: further prompts beyond the least one', control, '> 0', control > 0),
  ];
}

export const proof: Proof = {
  name: 'agent-caps',
  sets: ['agents'],
  what: 'runs under caps in total, drawn: none spends more than its cap and what agents under way spend beyond what was set aside, by launches or by further prompts; a cap of 0 launches none',
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
      // From room for one agent to room for all of them.
      const item = about * (1 + (at % 5));
      const total = item * (1 + 1.1 * (at % 7));
      const spent = await spend(stack, items, { cap: { item, total } });
      if (spent.cost > total) beyond++;
      if (hasCapped(spent)) capped++;
      most = Math.max(most, spent.cost / total);
    }
    note(`${runs} runs, ${capped} of them came to their cap; the dearest spent ${(100 * most).toFixed(0)} % of it`);
    const before = (await stack.control.journal()).rows.length;
    const none = await spend(stack, items, { cap: { item: 0 } });
    const launched = await launchedIn(stack, before);
    const free = await spend(stack, items, {});
    return [
      line('runs that spent more than their cap', `${beyond} of ${runs}`, '0', beyond === 0),
      line('runs in which an agent was not launched for it', capped, '> 0', capped > 0),
      line('launched under a cap of 0', launched, '0', launched === 0 && none.cost === 0),
      line(
        'control, the same notes without a cap',
        `${free.cost.toFixed(6)} $`,
        `> the least cap, ${about.toFixed(6)} $`,
        free.cost > about,
      ),
      ...(await further(stack, items, runs, note)),
    ];
  },
};
