import type { KeptRounds } from './kept-rounds.ts';

/** One line of a proof's outcome: what was measured, against which bound, and whether it holds. */
export type Line = {
  what: string;
  figure: string;
  bound: string;
  ok: boolean;
};

export const proofSets = ['short', 'shape', 'fire', 'floor', 'user', 'time', 'maps', 'agents'] as const;
export type ProofSet = (typeof proofSets)[number];

export type Proof = {
  /** Kebab-case name for the command line. */
  name: string;
  sets: readonly ProofSet[];
  /** What is shown, in one line. */
  what: string;
  /** Rounds in which it has the size that it is to have; `--rounds` gives others. Without: one, which is all it is also in the set `short`. */
  rounds?: number;
  /** What `--resume` takes from the runs of other sources too: each key names what its round rests on. */
  anySources?: true;
  /** Fails only when it could not be carried out; a bound that does not hold is a line with `ok: false`. */
  run(context: {
    note(line: string): void;
    rounds: number;
    /** In the set `short`: the part of a long proof that a gate has time for, its control included. */
    short: boolean;
    kept: KeptRounds;
    /** What was shown before counts. */
    resume: boolean;
    /** Words that a case must hold to be carried out, of a proof of many cases. */
    only?: string;
    /** After the tests that a case names, all of them. */
    allTests: boolean;
  }): Promise<Line[]>;
};

export const line = (what: string, figure: string | number, bound: string, ok: boolean): Line => ({
  what,
  figure: String(figure),
  bound,
  ok,
});
