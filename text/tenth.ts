/** A number to a tenth, as lengths in a picture are written. */
export const tenth = (n: number): string => String(Math.round(n * 10) / 10);
