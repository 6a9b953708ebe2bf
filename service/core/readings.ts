import { guessedReadings } from '../../contracts/assumptions/index.ts';
import type { AssumptionName, ReadingOf, Readings } from '../../contracts/assumptions/index.ts';

/** Which way the service has taken where the text is silent; handlers ask it at each call, so that it can change meanwhile. */
export type ServiceReadings = {
  of<N extends AssumptionName>(name: N): ReadingOf<N>;
  /** Takes other readings of some assumptions. */
  take(some: Partial<Readings>): void;
  /** The readings that the service started with. */
  reset(): void;
  all(): Readings;
};

export const createReadings = (started: Partial<Readings> = {}): ServiceReadings => {
  let taken: Readings = { ...guessedReadings(), ...started };
  return {
    of: (name) => taken[name],
    take: (some) => void (taken = { ...taken, ...some }),
    reset: () => void (taken = { ...guessedReadings(), ...started }),
    all: () => ({ ...taken }),
  };
};
