type Step = { use: string; error?: { type: string } };

/** True of a comparison of budgets in a run that found that somebody has changed them since: taken over, it would fail in the same way again. */
export const isOutdated = (use: string, steps: readonly Step[]): boolean =>
  use === 'budgets.compare' && steps.some(({ error }) => error?.type === 'ChangedMeanwhile');
