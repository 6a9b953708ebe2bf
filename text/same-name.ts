/** The first of some names that an earlier one is too when case is ignored, as SQL takes names of columns and tables; undefined where each is another. */
export const sameName = (names: readonly string[]): string | undefined => {
  const lower = names.map((name) => name.toLowerCase());
  return names.find((_, at) => lower.indexOf(lower[at]!) < at);
};
