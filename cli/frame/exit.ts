/** Exit codes of every verb. */
export const exit = { done: 0, failed: 1, usage: 2, approval: 3, inconclusive: 4, interrupted: 130 } as const;

export type ExitCode = (typeof exit)[keyof typeof exit];
