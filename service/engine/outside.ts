import { NotFetched } from '../../errors/classes.ts';
import { fetchBytes } from '../../reach/fetch-bytes.ts';
import type { Reachable } from '../../reach/checked-host.ts';

export type OutsideOptions = Partial<Pick<Reachable, 'allow' | 'lookup'>>;

/** What the service fetches from where a request names: public addresses, and hosts that whoever started it allows. */
export type Outside = {
  /** The bytes at an address; `NotFetched` whatever keeps them away. */
  fetch(address: string, mostBytes: number): Promise<Uint8Array>;
  /** Ends what is under way. */
  close(): void;
};

/** So many files of one call are fetched side by side. */
export const fetchedAtOnce = 4;

/** Nothing of a file comes for so long, and it is given up: somebody waits for the answer. */
const stalledMs = 10_000;

/** A file comes slowly for so long, and it is given up. */
const longestMs = 60_000;

const remedy = (host: string): string => `where files of the local service belong there, start it with --allow ${host}`;

export const createOutside = ({ allow = [], lookup }: OutsideOptions = {}): Outside => {
  const closing = new AbortController();
  return {
    async fetch(address, mostBytes) {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(longestMs)]);
      try {
        return await fetchBytes(address, { allow, lookup, remedy, stalledMs, mostBytes, signal });
      } catch (error) {
        if (!(error instanceof DOMException) || error.name !== 'TimeoutError') throw error;
        throw new NotFetched(`${address.slice(0, 200)}: took more than ${longestMs / 1_000} s`, 'name a server that is faster');
      }
    },
    close: () => closing.abort(new Error('the service was closed')),
  };
};
