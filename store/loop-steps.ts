/** How the names of all steps in the turns of a loop begin: `review[17].ask`. */
export const turnsOf = (loop: string): string => `${loop}[`;
