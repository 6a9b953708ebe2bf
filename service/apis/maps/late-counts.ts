/** Reads of a dataset that still tell an old count. */
const staleReads = 2;

/** Counts that lag behind writes: the reading `late` of `counts`. */
export const createLateCounts = () => {
  const told = new Map<string, { rows: number; reads: number }>();
  return {
    /** The count to tell of a dataset that has `rows`. */
    told(projectId: string, rows: number): number {
      const last = told.get(projectId) ?? { rows: 0, reads: 0 };
      const stale = last.rows !== rows && last.reads < staleReads;
      told.set(projectId, stale ? { rows: last.rows, reads: last.reads + 1 } : { rows, reads: 0 });
      return stale ? last.rows : rows;
    },
  };
};
