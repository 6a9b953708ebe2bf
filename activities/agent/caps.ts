import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import type { Verdict } from '../../store/reservation-rule.ts';
import { openReservations, type Reservations } from '../../store/reservations.ts';
import type { StepContext } from '../frame/context.ts';

/** The caps of a step: its own in total, and that of the run, which all steps share that name it. */
export type Caps = Omit<Reservations, 'release' | 'reserve' | 'hold'> & {
  /** Sets aside under every cap what an item may cost, or under none. */
  reserve(item: string): Verdict;
  /** The same of an item whose agent is under way already, however little is left. */
  hold(item: string): void;
};

/** What earlier runs have spent on items that are launched anew: no item has such a name. */
export const ofEarlierRuns = '\u0000earlier runs';

/** Opens the caps that the input names; undefined where it names none in total. */
export async function openCaps(
  { cap }: Pick<AgentInput, 'cap'>,
  { store, step }: Pick<StepContext, 'store' | 'step'>,
): Promise<Caps | undefined> {
  if (!cap || (cap.total === undefined && cap.run === undefined)) return undefined;
  const purses = [
    ...(cap.run === undefined ? [] : [{ of: (item: string) => `${step} ${item}`, purse: await openReservations(store, '$run', cap.run) }]),
    ...(cap.total === undefined ? [] : [{ of: (item: string) => item, purse: await openReservations(store, step, cap.total) }]),
  ];
  return {
    reserve(item) {
      const given: typeof purses = [];
      for (const each of purses) {
        const verdict = each.purse.reserve(each.of(item), cap.item);
        if (verdict !== 'reserved') {
          for (const before of given) before.purse.release(before.of(item));
          return verdict;
        }
        given.push(each);
      }
      return 'reserved';
    },
    hold: (item) => purses.forEach(({ purse, of }) => purse.hold(of(item), cap.item)),
    commit: (item, cost) => purses.forEach(({ purse, of }) => purse.commit(of(item), cost)),
    settle: (item) => purses.forEach(({ purse, of }) => purse.settle(of(item))),
    close: () => purses.forEach(({ purse }) => purse.close()),
  };
}
