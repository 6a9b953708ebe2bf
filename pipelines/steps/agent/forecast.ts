import { counted } from '../../../text/units.ts';
import type { Facts, Known, PlannedCalls, SpentFacts, StepForecast } from '../../step.ts';
import { namedFilesForecast } from '../named-files.ts';
import type { AgentInput } from './input.ts';

type Input = Known<AgentInput>;

const usd = (amount: number): string => amount.toFixed(amount > 0 && amount < 0.995 ? 4 : 2);

/** Why nobody knows what agents of a kind cost. */
const unknownBy = (past: SpentFacts | undefined): string =>
  past === undefined
    ? 'nobody has asked what agents of this kind cost'
    : 'because' in past
      ? past.because
      : 'no agent of this kind has run before';

/** What all agents may cost at most by the caps of the step. */
const mostOf = (input: Input, items: number | undefined): number | null => {
  const { item, total, run } = input?.cap ?? {};
  const each = item === undefined || items === undefined ? undefined : items * item;
  const known = [total, run, each].filter((most) => most !== undefined);
  return known.length === 0 ? null : Math.min(...known);
};

/** What they will cost: as earlier agents of the same prompt or workflow did, each, and not beyond the caps; where none are known, by the caps alone. */
export const costOf = (input: Input, items: number | undefined, past: SpentFacts | undefined): NonNullable<StepForecast['cost']> => {
  const most = mostOf(input, items);
  if (items === undefined || !past || !('least' in past)) {
    const why = items === undefined ? 'nobody has counted the items' : unknownBy(past);
    return { min: 0, max: most, because: most === null ? `there is no cap, and ${why}` : `by the caps: ${why}` };
  }
  const each = (cost: number): number => Math.min(items * Math.min(cost, input?.cap?.item ?? Infinity), most ?? Infinity);
  return {
    min: each(past.least),
    max: each(past.most),
    because: `${counted(past.agents, 'agent')} of this kind cost ${usd(past.least)} to ${usd(past.most)} each${most === null ? '' : `; at most ${usd(most)} by the caps`}`,
  };
};

/** What `plan` shows of the step. */
export function agentForecast(input: Input, { table, spent, named }: Pick<Facts, 'table' | 'spent' | 'named'>): StepForecast {
  const items = table?.rows;
  const cost = costOf(input, items, spent);
  const dollars =
    cost.max === null ? 'with no cap on what they cost' : `for ${usd(cost.min)} to ${usd(cost.max)} US dollars (${cost.because})`;
  const each = (operation: PlannedCalls['operation'], times = 1): PlannedCalls =>
    items === undefined
      ? { operation, min: 0, max: null, because: 'nobody has counted the items' }
      : { operation, min: 0, max: items * times };
  const unknown = (
    operation: PlannedCalls['operation'],
    because = 'how long agents take, and what they make, is known in the run alone',
  ): PlannedCalls => ({ operation, min: 0, max: null, because });
  const followUps = (input?.followUps?.length ?? 0) > 0 ? (input?.turns ?? 3) - 1 : 0;
  return {
    does: `launch ${items === undefined ? `an agent for each ${input?.documents === undefined ? 'row' : 'file'}` : counted(items, 'agent')}, each at most once, ${dollars}`,
    calls: [
      each('instance.agents.launch'),
      each('instance.agents.followup', followUps),
      unknown('instance.agents.list'),
      unknown('instance.agents.get'),
      unknown('instance.agents.stop'),
      unknown('instance.agents.conversation'),
      unknown('instance.agents.usage'),
      unknown('instance.agents.artifact'),
      unknown('instance.agents.export'),
      unknown('instance.files.tempFolder'),
      unknown('instance.files.upload', named && 'because' in named ? named.because : undefined),
      unknown('instance.files.status'),
      { operation: 'instance.workflows.get', min: 0, max: input && input.workflow !== undefined && input.version === undefined ? 1 : 0 },
    ],
    cost,
    seconds: 5,
    items: items ?? null,
    ...namedFilesForecast(named),
  };
}
