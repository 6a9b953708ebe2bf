/**
 * What was taken back of an earlier run: `undone` are steps of it, and `rowsUndone` loops, by the rows that their turns gave; what a turn
 * did that failed, and gave none, is as it was. `renamed`: names of its steps that have another name now, by the name of now.
 */
export type TakenBack = {
  renamed?: { readonly [step: string]: string };
  undone?: readonly string[];
  rowsUndone?: readonly string[];
};

/**
 * A run that a later one continues, its run store, and what was taken back of it. `only`: steps of now that go by it, and no others, which it
 * took back with another run that shares them, `of`.
 */
export type FormerRun = TakenBack & { run: string; store: string; only?: { of: string; steps: readonly string[] } };
