import type { Endpoint } from '../../contracts/endpoint.ts';
import type { Service } from '../../contracts/index.ts';
import type { Records } from '../core/records/database.ts';
import type { Caller } from '../core/records/keys.ts';
import { formerAddresses, type FurtherAddresses } from '../http/addresses.ts';
import { authorize as authorizeInstance } from './instance/access.ts';
import { authorize as authorizeMaps, checkReach } from './maps/access.ts';
import { addresses } from './maps/addresses.ts';

/** What the transport has to know of an API beside its contracts. */
export type ServedApi = {
  addresses: FurtherAddresses;
  /** Pages of other origins may read its answers, as with clients that run in a browser. */
  cors: boolean;
  /** Its answers say how many requests are left. */
  limitHeaders: boolean;
  /** Refuses by 403 what a key may not send. */
  authorize(records: Records, caller: Caller, endpoint: Endpoint): void;
  /** Refuses by 403 what a key may send, but not about this. */
  checkReach(records: Records, caller: Caller, endpoint: Endpoint, input: Readonly<Record<string, unknown>>): void;
};

/** The APIs of this service: the compiler names one without an entry. */
export const served: Readonly<Record<Service, ServedApi>> = {
  maps: { addresses, cors: true, limitHeaders: false, authorize: authorizeMaps, checkReach },
  instance: {
    addresses: { further: formerAddresses('instance'), mirror: () => undefined },
    cors: false,
    limitHeaders: true,
    authorize: authorizeInstance,
    checkReach: () => undefined,
  },
};
