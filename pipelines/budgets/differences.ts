import type { BudgetsThere, BudgetThere, MemberThere } from '../../client/budgets-there.ts';
import { mostMembers } from '../../contracts/instance/budgets.ts';
import { canonical } from '../../text/canonical-json.ts';
import type { Json } from '../../text/json.ts';
import { suggestion } from '../../text/nearest.ts';
import type { Desired, DesiredBudget } from './desired.ts';
import { differenceKinds, type Difference, type MemberLimits, type Settings } from './difference.ts';
import { renewedSince, type AmountSeen } from './renewed.ts';

/** What a file asks for that the service cannot be given. */
type Problem = string;

const same = (a: unknown, b: unknown): boolean => canonical(a as Json) === canonical(b as Json);

const limitsOf = ({ memberLimits: { enabled, defaultCents, period } }: BudgetThere): MemberLimits => ({ enabled, defaultCents, period });

/** The limits as they should be: what is left out is as it is. */
const wantedLimits = (there: MemberLimits, wanted: NonNullable<DesiredBudget['memberLimits']>): MemberLimits => ({
  enabled: wanted.enabled ?? there.enabled,
  defaultCents: wanted.defaultCents === undefined ? there.defaultCents : wanted.defaultCents,
  period: wanted.period === undefined ? there.period : wanted.period,
});

/** Fields of a budget that differ, as they are and as they should be. */
function settingsOf(
  there: BudgetThere,
  wanted: Partial<DesiredBudget>,
  seen: AmountSeen | undefined,
): Pick<Difference, 'from' | 'to' | 'because'> {
  const from: Settings = {};
  const to: Settings = {};
  const limits = limitsOf(there);
  const { amountCents, renewal } = wanted;
  const { renewed, because } =
    amountCents === undefined || amountCents === there.amountCents
      ? { renewed: true }
      : renewedSince(there, { amountCents, renewal }, seen);
  if (!renewed) {
    from.amountCents = there.amountCents;
    to.amountCents = amountCents;
  }
  if (wanted.onExhausted !== undefined && wanted.onExhausted !== there.onExhausted) {
    from.onExhausted = there.onExhausted ?? '';
    to.onExhausted = wanted.onExhausted;
  }
  if (wanted.renewal !== undefined && !same(wanted.renewal, there.renewal)) {
    from.renewal = there.renewal;
    to.renewal = wanted.renewal;
  }
  const wantedOf = wanted.memberLimits && wantedLimits(limits, wanted.memberLimits);
  if (wantedOf && !same(wantedOf, limits)) {
    from.memberLimits = limits;
    to.memberLimits = wantedOf;
  }
  return { from, to, ...(because === undefined ? {} : { because }) };
}

type Place = Pick<Difference, 'budget' | 'id' | 'project'>;

/** Own limits that differ, in batches of as many as one call takes. */
function limitDifferences(
  place: Place,
  wanted: Readonly<Record<string, number | null>>,
  members: readonly MemberThere[],
): { found: Difference[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const asked = new Map<string, number | null>();
  for (const [called, cents] of Object.entries(wanted)) {
    const who = members.find(({ id, email }) => id === called.toLowerCase() || email?.toLowerCase() === called.toLowerCase());
    if (!who)
      problems.push(
        `${place.budget}: members.${called} is no member of the budget${suggestion(
          called,
          members.flatMap(({ email }) => email ?? []),
        )}; add the user to the project first (portolan call instance.projects.setMembers), or leave the line out`,
      );
    else if (asked.has(who.id)) problems.push(`${place.budget}: members.${called} is named twice, by email and by id; name it once`);
    else asked.set(who.id, cents);
  }
  const changed = members.flatMap(({ id, email, limitCents }) => {
    const to = asked.get(id) ?? null;
    return to === limitCents ? [] : [{ user: id, name: email ?? id, from: limitCents, to }];
  });
  const found: Difference[] = [];
  for (let at = 0; at < changed.length; at += mostMembers)
    found.push({ kind: 'limits', ...place, from: {}, to: {}, members: changed.slice(at, at + mostMembers) });
  return { found, problems };
}

const notEnabled = (budget: string): Problem =>
  `${budget}: member limits are not enabled on the budget (member_limits_disabled); write memberLimits: { enabled: true }`;

const withoutPeriod = (budget: string): Problem =>
  `${budget}: a default limit of the members of a project needs a period (invalid_budget_change); write memberLimits: { period: … }`;

const kindOf = ({ amountCents: from }: Settings, { amountCents: to }: Settings): Difference['kind'] =>
  to === undefined ? 'changed' : to < (from ?? 0) ? 'released' : 'funded';

/** Cents that a difference takes from the budget of the organization; below zero where it gives them back. */
export const movedBy = ({ from, to }: Pick<Difference, 'from' | 'to'>): number =>
  to.amountCents === undefined ? 0 : to.amountCents - (from.amountCents ?? 0);

/**
 * What is to be done so that the budgets are as they should be, in the order in which it is done; or what of it the service would refuse,
 * before anything is sent. `seen`: when budgets had the amounts that files name, by their ids.
 */
export function differencesOf(
  desired: Desired,
  there: BudgetsThere,
  seen: ReadonlyMap<string, AmountSeen>,
): { differences: Difference[] } | { problems: Problem[] } {
  const found: Difference[] = [];
  const problems: Problem[] = [];
  const meant = new Map<string, string>();

  const compare = (place: Place, budget: BudgetThere, wanted: Partial<DesiredBudget>): void => {
    const { from, to, ...why } = settingsOf(budget, wanted, seen.get(budget.id));
    if (to.amountCents !== undefined && to.amountCents < budget.spentCents)
      problems.push(
        `${place.budget}: amountCents ${to.amountCents} is below the ${budget.spentCents} cents that are spent; write at least ${budget.spentCents}`,
      );
    const limited = to.memberLimits;
    if (place.project !== null && limited && limited.defaultCents !== null && limited.period === null)
      problems.push(withoutPeriod(place.budget));
    if (Object.keys(to).length > 0) found.push({ kind: kindOf(from, to), ...place, from, to, ...why });
    if (wanted.members === undefined) return;
    if (!(to.memberLimits ?? budget.memberLimits).enabled) problems.push(notEnabled(place.budget));
    const limits = limitDifferences(place, wanted.members, budget.members ?? []);
    found.push(...limits.found);
    problems.push(...limits.problems);
  };

  for (const wanted of desired.budgets) {
    const called = wanted.project;
    const project = there.projects.get(called);
    const several = there.ambiguous.get(called);
    if (several) problems.push(`project ${called}: ${several.length} projects have this name (${several.join(', ')}); name one by its id`);
    else if (!project)
      problems.push(`project ${called}: is not there, or this key does not see it; portolan call instance.projects.list --all shows them`);
    if (!project) continue;
    const before = meant.get(project.id);
    if (before !== undefined) problems.push(`project ${called}: is the project that is called ${before} above; name it once`);
    meant.set(project.id, called);
    if (project.budget) {
      compare({ budget: project.name, id: project.budget.id, project: project.id }, project.budget, wanted);
      continue;
    }
    const place = { budget: project.name, id: null, project: project.id };
    const { amountCents, onExhausted, renewal, memberLimits } = wanted;
    if (amountCents === undefined) {
      problems.push(`project ${called}: has no budget yet, and one without an amount cannot be made; write amountCents`);
      continue;
    }
    const none: MemberLimits = { enabled: false, defaultCents: null, period: null };
    if (typeof memberLimits?.defaultCents === 'number' && !memberLimits.period) problems.push(withoutPeriod(project.name));
    found.push({
      kind: 'created',
      ...place,
      from: {},
      to: {
        amountCents,
        ...(onExhausted === undefined ? {} : { onExhausted }),
        ...(renewal ? { renewal } : {}),
        ...(memberLimits === undefined ? {} : { memberLimits: wantedLimits(none, memberLimits) }),
      },
    });
    if (wanted.members === undefined) continue;
    if (!memberLimits?.enabled) problems.push(notEnabled(project.name));
    const limits = limitDifferences(place, wanted.members, project.members ?? []);
    found.push(...limits.found);
    problems.push(...limits.problems);
  }

  const { organization } = there;
  if (desired.organization && !organization)
    problems.push('organization: this key does not administer the budget of the organization; leave it out, or use a key that does');
  else if (desired.organization)
    compare({ budget: 'organization', id: organization!.id, project: null }, organization!, desired.organization);
  if (desired.others === 'release')
    for (const budget of there.others)
      compare({ budget: budget.name, id: budget.id, project: null }, budget, {
        ...(budget.amountCents > budget.spentCents ? { amountCents: budget.spentCents } : {}),
        renewal: null,
      });

  if (organization) {
    const left = organization.amountCents - organization.spentCents;
    const moved = found.map(movedBy);
    const taken = moved.reduce((sum, cents) => sum + Math.max(cents, 0), 0);
    const given = moved.reduce((sum, cents) => sum + Math.max(-cents, 0), 0);
    // What is given back is there before anything is taken. More may be spent than there was: then it may be given back all the same.
    const missing = taken - given - left;
    if (taken > 0 && missing > 0)
      problems.push(
        `the budget of the organization has ${left} cents left, these budgets give ${given} back and take ${taken} (insufficient_funds); lower amountCents of one by ${Math.min(missing, taken)}`,
      );
  }
  if (problems.length > 0) return { problems };
  return { differences: found.toSorted((a, b) => differenceKinds.indexOf(a.kind) - differenceKinds.indexOf(b.kind)) };
}
