import type { AssumptionName, Readings } from '../../contracts/assumptions/index.ts';

/** Readings that a service has shown, and why it does not show others. */
export type Found = { readings: Partial<Readings>; unknown: Partial<Record<AssumptionName, string>> };
