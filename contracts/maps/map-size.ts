/** Fewest rows that make a map. */
export const fewestRows = 20;
