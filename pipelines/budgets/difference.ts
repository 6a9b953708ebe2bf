import { z } from 'zod';

const renewal = z.strictObject({ cadence: z.string(), amountCents: z.int() }).nullable();
const memberLimits = z.strictObject({ enabled: z.boolean(), defaultCents: z.int().nullable(), period: z.string().nullable() });

/** What a budget has and can be given in one step. */
const settings = z.strictObject({
  amountCents: z.int().optional(),
  onExhausted: z.string().optional(),
  renewal: renewal.optional(),
  memberLimits: memberLimits.optional(),
});

export type Settings = z.output<typeof settings>;
export type MemberLimits = z.output<typeof memberLimits>;

const member = z.strictObject({ user: z.string(), name: z.string(), from: z.int().nullable(), to: z.int().nullable() });

/**
 * In the order in which differences are settled: what gives money back comes before what takes it, so that the organization's budget is
 * never asked for what it has not, and limits of members come when they are enabled.
 */
export const differenceKinds = ['released', 'changed', 'created', 'funded', 'limits'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/**
 * One difference is one call, which is carried out whole or not at all. `from`: the fields that differ, as they were seen; `to`: as they
 * should be. `id`: of the budget, null where there is none yet; `project`: null of the organization's. `because`: why what looks like no
 * difference is one.
 */
export const difference = z.strictObject({
  kind: z.enum(differenceKinds),
  budget: z.string(),
  id: z.string().nullable(),
  project: z.string().nullable(),
  from: settings,
  to: settings,
  members: z.array(member).optional(),
  because: z.string().optional(),
});

export type Difference = z.output<typeof difference>;

/** How a difference is called in the ledger: unlike any other of its list. */
export const nameOfDifference = ({ kind, budget, id, project, members }: Difference): string =>
  `${kind} ${budget} (${id ?? project})${members === undefined ? '' : ` from ${members[0]!.name}`}`;
