/** The id that a step of a run has in its plan: of `review[17].ask` it is `ask`. */
export const idInPlan = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
