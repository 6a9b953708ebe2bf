/** Name of a part of what a run keeps in several files; their names sort as their numbers do. */
export const partName = (index: number): string => `${String(index).padStart(5, '0')}.parquet`;
