/** Names with their values as words, `maps=acme`, always in one order. */
export const pairs = (of: Readonly<Record<string, string>>): string[] =>
  Object.entries(of)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
