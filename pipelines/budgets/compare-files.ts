import { readFile } from 'node:fs/promises';
import type { BudgetsThere } from '../../client/budgets-there.ts';
import { askedOf } from './asked.ts';
import { differencesOf } from './differences.ts';
import { readDesired } from './read-desired.ts';

/** What files of budgets say that should be, against what `read` finds at the service: the differences, or what is wrong, a line each. */
export async function compareFiles(
  files: readonly { path: string; name: string }[],
  read: (projects: string[], withMembers: (called: string | null) => boolean) => Promise<BudgetsThere>,
): Promise<ReturnType<typeof differencesOf>> {
  const said = readDesired(await Promise.all(files.map(async ({ path, name }) => ({ name, text: await readFile(path, 'utf8') }))));
  if ('problems' in said) return said;
  const { projects, withMembers } = askedOf(said.desired);
  return differencesOf(said.desired, await read(projects, withMembers));
}
