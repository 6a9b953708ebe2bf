import type { OperationName } from '../../contracts/index.ts';

/** How often something is done at most: so many times in one attempt of a step, or of listing the items of a sweep; or once for each item. */
export type Most = number | 'perItem';

/** What an own step says that it does. */
export type Declared = {
  /**
   * What it does outside of the APIs that cannot be taken back, by kind, and how often at most: `{ charge: 1 }`, in a sweep
   * `{ charge: 'perItem' }`. A pipeline needs an approval before it, and `portolan plan` counts it.
   */
  acts?: { readonly [kind: string]: Most };
  /**
   * Operations that it calls, as a list, or with the most calls of each: `{ 'maps.projects.get': 2 }`, in a sweep
   * `{ 'maps.projects.get': 'perItem' }`. `portolan plan` shows them, the step has a connection to their services and to no other, and
   * what goes beyond them is refused.
   */
  operations?: readonly OperationName[] | { readonly [Name in OperationName]?: Most };
  /**
   * Secrets that its code asks for, by their names under `secrets` in portolan.config.mts: `plan`, `run` and `doctor` say before the run
   * which of them cannot be read. One that is not listed is asked for in the run.
   */
  secrets?: readonly string[];
};
