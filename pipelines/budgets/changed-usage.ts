import { centsOf } from '../../contracts/instance/periods.ts';
import { nanoOf, type LedgerRun } from './ledger-parts.ts';

/** Cents by which the usage of a run is no more what it was, by model: less than before, or more though nothing was done since. */
export function changedUsage(run: LedgerRun, before: LedgerRun | undefined): { model: string; cents: number; says: string }[] {
  if (!before || run.gone) return [];
  const idle = !run.underWay && !before.underWay && run.updatedAt !== null && run.updatedAt === before.updatedAt;
  const usage = [...new Set([...run.models, ...before.models].map(({ model }) => model))].map((model) => {
    const [was = 0, is = 0] = [before, run].map(({ models }) => models.find((each) => each.model === model)?.nano);
    return { model, was, is, changed: is < was || (idle && is > was) };
  });
  const changed = usage.filter((each) => each.changed);
  // A run is rounded once: what its models differ by adds up to what the run differs by.
  const expected = usage.map(({ model, was, is, changed: wrong }) => ({ model, nano: wrong ? was : is }));
  let rest = centsOf(nanoOf({ models: expected })) - centsOf(nanoOf(run));
  return changed.map(({ model, was, is }, at) => {
    const cents = at === changed.length - 1 ? rest : Math.sign(was - is) * centsOf(Math.abs(was - is));
    rest -= cents;
    return { model, cents, says: `its usage was ${(was / 1e9).toFixed(9)} $, and is ${(is / 1e9).toFixed(9)} $` };
  });
}
