/** Most items that are no more than a share of so many: 29 of 100 are 29 %, though `0.29 * 100` is a little less. */
export const mostOfShare = (share: number, of: number): number => Math.floor(share * of * (1 + 1e-14));
