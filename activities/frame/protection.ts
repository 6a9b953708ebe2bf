/** What a worker does for safety's sake; switched off only in proofs that show what happens without. */
export type Protection = {
  /** Looks effects up whose answer was lost. */
  lookUp: boolean;
  /** Asks the server before an effect whether the attempt still counts. */
  fence: boolean;
  /** Keeps secrets of answers out of results. */
  secrets: boolean;
  /** Waits for what this host is short of. */
  waits: boolean;
  /** Sets a mark only where it is still the one that the run read from. */
  marks: boolean;
  /** Begins no run before it has its key. */
  locks: boolean;
  /** Writes a budget only where it is still as it was compared. */
  compare: boolean;
};

export const everyProtection: Protection = {
  lookUp: true,
  fence: true,
  secrets: true,
  waits: true,
  marks: true,
  locks: true,
  compare: true,
};
