/** Reads of a dataset that still report an old count. */
const staleReads = 2;

/** Counts that lag behind writes: the reading `late` of `counts`. */
export const createLateCounts = () => {
  const reported = new Map<string, { rows: number; reads: number }>();
  return {
    /** The count to report of a dataset that has `rows`. */
    report(projectId: string, rows: number): number {
      const last = reported.get(projectId) ?? { rows: 0, reads: 0 };
      const stale = last.rows !== rows && last.reads < staleReads;
      reported.set(projectId, stale ? { rows: last.rows, reads: last.reads + 1 } : { rows, reads: 0 });
      return stale ? last.rows : rows;
    },
  };
};
