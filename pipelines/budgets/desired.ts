import { z } from 'zod';
import { cents, settings } from '../../contracts/instance/budgets.ts';

/** Own limits, by the email or id of a user; null: none, so that the default of the budget applies. Members that are not named have none. */
const members = z.record(z.string().min(1), cents.nullable());

const memberLimits = settings.memberLimits;

/** A rule over fields of a budget: where it is broken, and what to write. */
const rule = (path: string[], message: string, remedy: string) => ({ message, path, params: { remedy } });

const budget = z
  .strictObject({
    project: z.string().min(1).describe('A project by its id, or by its name.'),
    amountCents: cents
      .optional()
      .describe('What the budget holds, in whole cents, what is spent included. A project without a budget needs it.'),
    ...settings,
    members: members.optional().describe('Own limits of members; who is not named has none. Absent: they stay.'),
  })
  .refine(
    ({ renewal }) => renewal?.amountCents !== 0,
    rule(['renewal', 'amountCents'], 'a renewal of 0 cents is none', 'write renewal: null, or at least 1 cent'),
  )
  .refine(
    ({ memberLimits: limits }) => limits?.defaultCents === undefined || limits.defaultCents === null || limits.period !== null,
    rule(
      ['memberLimits', 'period'],
      'a default limit of the members of a project needs a period',
      'write period: daily, weekly or monthly',
    ),
  )
  .refine(
    ({ memberLimits: limits, members: own }) => own === undefined || limits?.enabled !== false,
    rule(['members'], 'limits of members that are not enabled limit nobody', 'write memberLimits: { enabled: true }, or leave members out'),
  );

/** A file of budgets as they should be. What is left out of a budget stays as it is. */
export const desiredFile = z.strictObject({
  others: z
    .enum(['keep', 'release'])
    .optional()
    .describe(
      'Budgets of projects that no file names: `keep` leaves them, `release` gives back what is not spent and ends their renewal. The API deletes no budget.',
    ),
  organization: z
    .strictObject({ memberLimits, members: members.optional() })
    .optional()
    .describe('The budget of the organization: it is funded by its contract, and its limits alone can change.'),
  budgets: z.array(budget).max(5_000).default([]),
});

export type DesiredBudget = z.output<typeof budget>;

/** What all files say together. */
export type Desired = {
  others: 'keep' | 'release';
  organization: NonNullable<z.output<typeof desiredFile>['organization']> | undefined;
  budgets: DesiredBudget[];
};
