import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { onlyOne } from '../lookup.ts';
import { remedies } from '../remedies.ts';
import { cursorPage, id, pageOf, pageSizeUpTo } from './common.ts';

/** Whole cents, up to ten billion dollars: sums of some thousand are exact. Of one that is wrong nobody knows whether dollars were meant. */
export const cents = z.int().min(0).max(1_000_000_000_000).register(remedies, { remedy: 'write whole US cents: 200 dollars are 20000' });

const budget = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  parentId: z.string().nullish(),
  scope: z.looseObject({ type: z.string(), projectBudgetsEnabled: z.boolean().nullish() }),
  funding: z.looseObject({
    amountCents: z.int(),
    spentCents: z.int(),
    remainingCents: z.int(),
    renewal: z.looseObject({ cadence: z.string(), amountCents: z.int() }).nullish(),
  }),
  onExhausted: z.string().nullish(),
  memberLimits: z
    .looseObject({
      enabled: z.boolean(),
      defaultCents: z.int().nullish(),
      period: z.string().nullish(),
      resetsAt: z.string().nullish(),
    })
    .nullish(),
});

const member = z.looseObject({
  id: z.string(),
  email: z.string().nullish(),
  name: z.string().nullish(),
  limitCents: z.int().nullish(),
  effectiveLimitCents: z.int().nullish(),
  spentCents: z.int(),
  status: z.string().nullish(),
});

/** How often a budget is renewed, and how long a member's limit holds: in UTC, weeks from Monday (assumption; seen: `weekly`, `daily`). */
export const period = z.enum(['daily', 'weekly', 'monthly']);

/** `block`: nothing is launched any more. `notify`: launched all the same (assumption; seen: `block`). */
const onExhausted = z.enum(['block', 'notify']);

/** What can be said of a budget beside its amount. */
export const settings = {
  onExhausted: onExhausted.optional(),
  /** Null: no renewal any more. */
  renewal: z.strictObject({ cadence: period, amountCents: cents }).nullish(),
  memberLimits: z.strictObject({ enabled: z.boolean().optional(), defaultCents: cents.nullish(), period: period.nullish() }).optional(),
};

/** Entries that one batch of limits takes at most (assumption). */
export const mostMembers = 1_000;

const invalid = {
  status: 400,
  code: 'invalid_budget_change',
  says: 'the change does not fit the budget',
  means: 'final',
  remedy:
    'name an amountCents that is no less than what is spent, a renewal of at least 1 cent, and with defaultCents of a project a period',
} as const;
const notCovered = {
  status: 402,
  code: 'insufficient_funds',
  says: 'the organization budget cannot cover the amount',
  means: 'final',
  remedy: 'name a smaller amountCents, or lower that of another project, which returns money to the organization',
} as const;
const contractFunded = {
  status: 403,
  code: 'organization_budget_contract_funded',
  says: 'the organization budget is funded by its contract',
  means: 'final',
  remedy: 'change its memberLimits alone',
} as const;

/** All of them are one page. */
export const list = defineEndpoint({
  method: 'GET',
  path: '/api/v0/budgets',
  summary: 'Budgets that the caller administers.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:budgets:read'],
  status: 200,
  query: { scope: 'text', projectId: 'text', cursor: 'text' },
  page: cursorPage,
  input: z.strictObject({
    scope: z.enum(['organization', 'project']).optional(),
    projectId: id.optional(),
    /** Nothing is behind the one page: taken and of no effect. */
    cursor: z.string().optional(),
  }),
  output: pageOf(budget),
});

/** Funding, onExhausted, renewal and the members' default in one step, or nothing. */
export const create = defineEndpoint({
  method: 'POST',
  path: '/api/v0/budgets',
  summary: 'Create the budget of a project, funded from that of the organization.',
  effect: 'reconcile',
  lookup: {
    before: async ({ projectId }, ask) => (await ask(list, { projectId })).data.map((each) => each.id),
    async find({ projectId }, before, ask) {
      const made = (await ask(list, { projectId })).data.filter((each) => !before.includes(each.id));
      return onlyOne(made, 'budgets', (each) => each);
    },
  },
  limit: 'instance/write',
  scopes: ['developer:budgets:write'],
  status: 201,
  envelope: 'data',
  errors: [
    invalid,
    notCovered,
    {
      status: 409,
      code: 'budget_exists',
      says: 'the project has a budget already',
      means: 'final',
      remedy: 'change it: instance.budgets.update',
    },
    {
      status: 403,
      code: 'project_budgets_disabled',
      says: 'budgets of projects are turned off',
      means: 'final',
      remedy: 'turn them on for the organization, in the app',
    },
  ],
  input: z.strictObject({ projectId: id, amountCents: cents, ...settings }),
  output: budget,
});

/** A budget, or `organization` for that of the organization. */
const budgetId = z.union([z.literal('organization'), id]);

export const get = defineEndpoint({
  method: 'GET',
  path: '/api/v0/budgets/{id}',
  summary: 'One budget, or that of the organization.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:budgets:read'],
  status: 200,
  envelope: 'data',
  input: z.strictObject({ id: budgetId }),
  output: budget,
});

/** What is left out keeps its value; all of the change is one step. Of the organization's budget `memberLimits` alone can change. */
export const update = defineEndpoint({
  method: 'POST',
  path: '/api/v0/budgets/{id}',
  summary: 'Change funding, renewal or member limits of a budget.',
  effect: 'idempotent',
  limit: 'instance/write',
  scopes: ['developer:budgets:write'],
  status: 200,
  envelope: 'data',
  errors: [invalid, notCovered, contractFunded],
  input: z.strictObject({ id: budgetId, amountCents: cents.optional(), ...settings }),
  output: budget,
});

export const members = defineEndpoint({
  method: 'GET',
  path: '/api/v0/budgets/{id}/members',
  summary: 'Members of a budget with their limits and what they have spent.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:budgets:read'],
  status: 200,
  query: { limit: 'number', cursor: 'text' },
  page: cursorPage,
  input: z.strictObject({ id: budgetId, limit: pageSizeUpTo(100), cursor: z.string().optional() }),
  output: pageOf(member),
});

/** All entries or none; null clears the own limit, so that the budget's default applies. A repeat changes nothing. */
export const setMembers = defineEndpoint({
  method: 'POST',
  path: '/api/v0/budgets/{id}/members',
  summary: "Set or clear members' own limits, all or none.",
  effect: 'idempotent',
  limit: 'instance/write',
  scopes: ['developer:budgets:write'],
  status: 200,
  envelope: 'data',
  errors: [
    {
      status: 403,
      code: 'member_limits_disabled',
      says: 'member limits are not enabled on the budget',
      means: 'final',
      remedy: 'enable them first: instance.budgets.update with memberLimits.enabled',
    },
  ],
  input: z.strictObject({
    id: budgetId,
    members: z.array(z.strictObject({ user: id, limitCents: cents.nullable() })).max(mostMembers),
  }),
  output: z.array(member),
});
