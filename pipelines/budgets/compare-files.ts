import { readFile } from 'node:fs/promises';
import type { BudgetsThere } from '../../client/budgets-there.ts';
import { askedOf } from './asked.ts';
import type { Difference } from './difference.ts';
import { differencesOf } from './differences.ts';
import { readDesired } from './read-desired.ts';
import type { AmountSeen } from './renewed.ts';

/**
 * What files of budgets say that should be, against what `read` finds at the service: the differences, or what is wrong, a line each.
 * `seenOf`: when a budget had the amount that a file names; `exact`: what is known of that from now on, by the ids of the budgets.
 */
export async function compareFiles(
  files: readonly { path: string; name: string }[],
  read: (projects: string[], withMembers: (called: string | null) => boolean) => Promise<BudgetsThere>,
  seenOf: (budget: string) => Promise<AmountSeen | undefined>,
): Promise<{ differences: Difference[]; exact: Map<string, AmountSeen> } | { problems: string[] }> {
  const said = readDesired(await Promise.all(files.map(async ({ path, name }) => ({ name, text: await readFile(path, 'utf8') }))));
  if ('problems' in said) return said;
  const { projects, withMembers } = askedOf(said.desired);
  const there = await read(projects, withMembers);
  const exact = new Map<string, AmountSeen>();
  const seen = new Map<string, AmountSeen>();
  for (const { project, amountCents, renewal } of said.desired.budgets) {
    const budget = there.projects.get(project)?.budget;
    // What is not renewed has its amount, or has it not.
    if (!budget || amountCents === undefined || !(budget.renewal ?? renewal)) continue;
    if (budget.amountCents === amountCents) exact.set(budget.id, { amountCents, at: budget.at });
    const known = await seenOf(budget.id);
    if (known) seen.set(budget.id, known);
  }
  const found = differencesOf(said.desired, there, seen);
  return 'problems' in found ? found : { ...found, exact };
}
