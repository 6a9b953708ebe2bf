/** Most members of one call. The text gives no largest number; public clients add 5,000 or 10,000 rows at a time. What a service finds too much is sent in halves. */
export const batches = {
  ids: { most: 1_000, of: 'ids of one read of rows' },
  deletions: { most: 2_500, of: 'ids of one deletion' },
  tags: { most: 2_500, of: 'ids of one change of a tag' },
  neighbors: { most: 100, of: 'points of one search for neighbours' },
  rows: { most: 10_000, of: 'rows of one addition' },
  bytes: { most: 16_000_000, of: 'bytes of one addition' },
} as const;

/** Largest calls of a service. */
export type Batches = { [Name in keyof typeof batches]: number };

/** Largest calls where a connection gives these; never above those that are assumed of every service. */
export const batchesOf = (given: { readonly [Name in keyof Batches]?: number | undefined } = {}): Batches => {
  const least = (name: keyof Batches): number => Math.min(batches[name].most, given[name] ?? batches[name].most);
  return {
    ids: least('ids'),
    deletions: least('deletions'),
    tags: least('tags'),
    neighbors: least('neighbors'),
    rows: least('rows'),
    bytes: least('bytes'),
  };
};
