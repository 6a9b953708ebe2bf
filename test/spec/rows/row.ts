import type { Invoke } from '../../../client/invoke.ts';
import type { OperationName, Service } from '../../../contracts/index.ts';
import type { Moment } from '../../../service/core/faults.ts';
import type { indexOrder, shardOf } from '../../service/world.ts';

/** A dataset of 30 rows with a finished map of their texts. */
export type MadeMap = { project: string; job: string; index: string; map: string };

/** What a row has at hand: the product's own client, whose calls are recorded, and what the API itself has no operation for. */
export type Shown = {
  /** Sends with the key of a user who owns the organization, of the API that the operation is of. */
  invoke: Invoke;
  /** The same with another key, or with none that the service knows. */
  withKey: (token: string) => Invoke;
  /** The status by which the service refused a call; fails where it did not. */
  refused: (call: Promise<unknown>) => Promise<number>;
  organization: { organization_id: string; slug: string };
  /** Another user of the service, with a key of their own. */
  user: (key?: { service: Service; scopes?: readonly string[] }) => Promise<{ id: string; email: string; token: string }>;
  /** A map for those who only read: the same for all rows. */
  map: () => Promise<MadeMap>;
  /** Holds the service's next long work at a moment inside it; the function lets it go. */
  hold: (moment: Moment) => Promise<() => Promise<void>>;
  shardOf: typeof shardOf;
  indexOrder: typeof indexOrder;
};

/** Why there is nothing to show. */
export type None = { readonly none: string };

/** What shows that one operation of the API is there as its contract says. */
export type Row = {
  /** Does the operation with success, has the service refuse it, and reads its effect back: the answer itself is no proof of it. */
  readonly run: (at: Shown) => Promise<void>;
  /** The operation by which the effect is read back, or with whose answer that of a read is compared. */
  readonly readBack: OperationName | None;
  /** Where the service has nothing to refuse. */
  readonly refusal?: None;
};

/** One row for each operation: the compiler names one without. */
export type Rows = { readonly [N in OperationName]: Row };
