import type { Mark } from './graph.ts';

/** How a step's status is shown beside its name, where colours may not be seen. */
export const signs: Readonly<Record<Mark['status'], string>> = {
  waiting: '·',
  running: '●',
  approval: '?',
  done: '✓',
  tolerated: '✗',
  failed: '✗',
  cancelled: '–',
  skipped: '–',
};
