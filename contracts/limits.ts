/**
 * Limit classes: operations that a service counts together. A limit belongs to a subject at a service
 * (an address, a user, a key), never to a process.
 */
export type Limit = {
  /** Who the service counts. */
  readonly subject: LimitSubject;
  /** Requests per window; null where nothing is published. */
  readonly count: number | null;
  /** Window in seconds. */
  readonly seconds: number;
  /** Where the figure comes from. */
  readonly source: string;
};

export type LimitSubject = 'address' | 'user' | 'key';

const unpublished = (): Limit => ({ subject: 'user', count: null, seconds: 60, source: 'maps text, Limits: "not shown"' });

export const limits = {
  'maps/read': unpublished(),
  'maps/write': unpublished(),
  'maps/data': unpublished(),
  'maps/part': { ...unpublished(), subject: 'address' },
  'maps/index': unpublished(),
  'maps/search': unpublished(),
  'maps/tag': unpublished(),
  'maps/embedding': {
    subject: 'address',
    count: 1_200,
    seconds: 300,
    source: 'public docs of the maps API: 1,200 requests per rolling 5 minutes and address',
  },
  'instance/standard': {
    subject: 'user',
    count: 300,
    seconds: 60,
    source: 'instance text, Limits, for the list of keys; for users: public docs',
  },
  'instance/write': {
    subject: 'user',
    count: 60,
    seconds: 60,
    source: 'instance text, Limits, for the revocation of keys; for users: public docs',
  },
  'instance/heavy': {
    subject: 'user',
    count: 30,
    seconds: 60,
    source: 'public docs of the instance API: launches, uploads and parse tasks',
  },
  'instance/search': {
    subject: 'user',
    count: 60,
    seconds: 60,
    source: 'public docs of the instance API: the search of codes',
  },
} as const satisfies Record<string, Limit>;

export type LimitClass = keyof typeof limits;

/** Who is counted; where no contract says so, everyone at this address. */
export const limitSubject = (limit: string): LimitSubject => (limits as Readonly<Record<string, Limit>>)[limit]?.subject ?? 'address';
