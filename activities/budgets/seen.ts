import { budgetById, budgetOfProject, membersOfBudget, type BudgetThere } from '../../client/budgets-there.ts';
import type { Difference, Settings } from '../../pipelines/budgets/difference.ts';
import { canonical } from '../../text/canonical-json.ts';
import type { Json } from '../../text/json.ts';
import type { StepContext } from '../frame/context.ts';

/** How what a difference is about stands at the service: as it should be, as it was when it was compared, or otherwise. `at`: when it was so. */
export type Seen =
  | { is: 'to'; id: string; at: number }
  | { is: 'from'; id: string | null }
  | { is: 'other'; id: string | null; says: string };

export type SeenContext = Pick<StepContext, 'invoke' | 'pages' | 'signal'>;

const settingsOf = ({ amountCents, onExhausted, renewal, memberLimits: { enabled, defaultCents, period } }: BudgetThere): Settings => ({
  amountCents,
  onExhausted: onExhausted ?? '',
  renewal,
  memberLimits: { enabled, defaultCents, period },
});

const text = (value: unknown): string => canonical((value ?? null) as Json);

/** Fields of a difference that a budget has otherwise than said. */
const otherwise = (budget: BudgetThere, said: Settings): string[] => {
  const is = settingsOf(budget);
  return (Object.keys(said) as (keyof Settings)[]).filter((field) => text(is[field]) !== text(said[field]));
};

async function budgetFor({ id, project }: Difference, context: SeenContext): Promise<BudgetThere | undefined> {
  return id === null ? budgetOfProject(context, project!) : budgetById(context, id);
}

/** Looks at what a difference is about. */
export async function look(difference: Difference, context: SeenContext): Promise<Seen> {
  const { kind, budget: called, from, to, members: wanted = [] } = difference;
  const budget = await budgetFor(difference, context);
  if (!budget)
    return kind === 'created'
      ? { is: 'from', id: null }
      : { is: 'other', id: null, says: `${called} has no budget whose members could be limited` };
  const { id, at } = budget;
  if (kind === 'limits') {
    const limits = new Map((await membersOfBudget(context, id)).map((member) => [member.id, member.limitCents]));
    const unlike = (side: 'from' | 'to') => wanted.filter((member) => (limits.get(member.user) ?? null) !== member[side]);
    if (unlike('to').length === 0) return { is: 'to', id, at };
    const [first] = unlike('from');
    if (!first) return { is: 'from', id };
    return { is: 'other', id, says: `${called}: the limit of ${first.name} was ${first.from}, and is ${limits.get(first.user) ?? null}` };
  }
  if (otherwise(budget, to).length === 0) return { is: 'to', id, at };
  if (kind === 'created') return { is: 'other', id, says: `${called} had no budget, and has one now` };
  const [field] = otherwise(budget, from) as (keyof Settings)[];
  if (field === undefined) return { is: 'from', id };
  return { is: 'other', id, says: `${called}: ${field} was ${text(from[field])}, and is ${text(settingsOf(budget)[field])}` };
}
