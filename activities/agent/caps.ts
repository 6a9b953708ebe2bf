import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import type { Verdict } from '../../store/reservation-rule.ts';
import { openReservations, type Counted, type Reservations } from '../../store/reservations.ts';
import type { StepContext } from '../frame/context.ts';
import { ofItem, ofTheRun } from './run-cap.ts';

/** The caps of a step: of each item, its own in total, and that of the run, which all steps share that name it. */
export type Caps = Pick<Reservations, 'commit' | 'settle' | 'release' | 'close'> & {
  /** Sets aside under every cap what an item may cost, or under none. */
  reserve(item: string): Verdict;
  /** The same of an item whose agent has ended a turn, has cost so much and would be prompted again. */
  extend(item: string, spent: number): Verdict;
  /**
   * Counts what earlier runs know of the step's items, in place of what the cap of the run has counted of them by other names (`gone`).
   * `amount`: what an item is known to have cost; while it is under way no less is set aside than it may cost.
   */
  takeOver(items: readonly Counted[], gone: readonly string[]): void;
};

/** The caps that all agents share, as messages name them. */
export const sayCap = (cap: AgentInput['cap']): string =>
  (['total', 'run'] as const).flatMap((name) => (cap?.[name] === undefined ? [] : [`cap.${name} ${cap[name]}`])).join(' or ');

/** What earlier runs have spent on items that are launched anew: no item has such a name. */
export const ofEarlierRuns = '\u0000earlier runs';

/** Opens the caps that the input names; undefined where it names none. */
export async function openCaps(
  { cap }: Pick<AgentInput, 'cap'>,
  { store, step }: Pick<StepContext, 'store' | 'step'>,
): Promise<Caps | undefined> {
  if (!cap) return undefined;
  const purses = [
    ...(cap.run === undefined
      ? []
      : [{ of: (item: string) => ofItem(step, item), purse: await openReservations(store, ofTheRun, cap.run) }]),
    { of: (item: string) => item, purse: await openReservations(store, step, cap.total ?? Infinity) },
  ];
  const commit = (item: string, cost: number): void => purses.forEach(({ purse, of }) => purse.commit(of(item), cost));
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
    extend(item, spent) {
      for (const { of, purse } of purses) {
        const verdict = purse.extend(of(item), spent, cap.item);
        if (verdict === 'reserved') continue;
        // While it waits nothing is under way: others may have what was set aside for it.
        commit(item, spent);
        return verdict;
      }
      return 'reserved';
    },
    takeOver(items, gone) {
      for (const { purse, of } of purses)
        purse.exchange(
          gone,
          items.map(({ item, amount, underWay }) => ({ item: of(item), amount: underWay ? Math.max(cap.item, amount) : amount, underWay })),
        );
    },
    commit,
    release: (item) => purses.forEach(({ purse, of }) => purse.release(of(item))),
    settle: (item) => purses.forEach(({ purse, of }) => purse.settle(of(item))),
    close: () => purses.forEach(({ purse }) => purse.close()),
  };
}
