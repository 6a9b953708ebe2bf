import type { Desired } from './desired.ts';

/** What is to be read at the service so that it can be compared: projects, and whether members of a budget (null: the organization's) are. */
export function askedOf({ budgets, organization }: Desired): { projects: string[]; withMembers: (called: string | null) => boolean } {
  const limited = new Set(budgets.flatMap(({ project, members }) => (members === undefined ? [] : [project])));
  return {
    projects: budgets.map(({ project }) => project),
    withMembers: (called) => (called === null ? organization?.members !== undefined : limited.has(called)),
  };
}
