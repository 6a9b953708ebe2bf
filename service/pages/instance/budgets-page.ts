import type { z } from 'zod';
import type { instance } from '../../../contracts/instance/index.ts';
import { escapeHtml as e } from '../../../text/html.ts';
import { dollars } from '../../../text/money.ts';
import { minute, nextPage, plainPage, tableOf } from '../plain-page.ts';
import { bar } from './bar.ts';
import { reader, type InstancePagesState } from './state.ts';

export type Budget = z.input<(typeof instance.budgets.get)['output']>;
type Member = z.input<(typeof instance.budgets.members)['output']>['data'][number];

/** Budgets of projects, and members, of a page. */
const shown = 100;

/** A budget in words and as a bar. Of the organization's what projects have been given is reserved. */
export const budgetHtml = ({ id, name, funding, onExhausted, memberLimits, scope }: Budget, givenCents: number): string => {
  const { amountCents, spentCents, remainingCents, renewal } = funding;
  const whole = amountCents + givenCents;
  const facts = [
    `${dollars(spentCents)} spent`,
    givenCents > 0 ? `${dollars(givenCents)} reserved for projects` : '',
    `${dollars(remainingCents)} left of ${dollars(whole)}`,
    renewal ? `${dollars(renewal.amountCents)} more ${renewal.cadence}` : '',
    onExhausted === 'notify' ? 'goes on when it is spent' : 'stops agents when it is spent',
    memberLimits?.enabled
      ? `members ${memberLimits.defaultCents == null ? 'by own limits' : `up to ${dollars(memberLimits.defaultCents)}`}${memberLimits.period ? ` ${memberLimits.period}` : ''}`
      : '',
  ].filter(Boolean);
  return `<section class="budget"><h3><a href="/budgets/${e(id)}">${e(name ?? id)}</a> <small class="quiet">${e(scope.type)}</small></h3>
${bar(
  [
    { of: spentCents > amountCents ? 'over' : 'spent', cents: spentCents, words: 'spent' },
    { of: 'reserved', cents: givenCents, words: 'reserved for projects' },
  ],
  whole,
)}<p class="quiet">${e(facts.join(' · '))}</p></section>`;
};

/** What the projects of an organization hold together. */
export const givenTo = (budgets: readonly Budget[]): number =>
  budgets.reduce((sum, { scope, funding }) => sum + (scope.type === 'project' ? funding.amountCents : 0), 0);

/** The budgets that the user administers, a hundred of projects a page. */
export const budgetsPage = async (state: InstancePagesState, cursor: string): Promise<Response> => {
  const { data } = await state.operations.budgets.list({}, reader(state));
  const ofProjects = data.filter(({ scope, id }) => scope.type === 'project' && id > cursor);
  const listed = ofProjects.slice(0, shown);
  const own = cursor === '' ? data.filter(({ scope }) => scope.type !== 'project') : [];
  return plainPage({
    title: 'Budgets · local service',
    at: '/budgets',
    body: `<h1>Budgets</h1><p class="legend quiet"><i class="spent"></i> spent <i class="reserved"></i> reserved <i class="rest"></i> left</p>
${own.map((each) => budgetHtml(each, givenTo(data))).join('\n')}
${listed.length === 0 ? '<p class="quiet">No project has a budget of its own.</p>' : `<h2>Projects</h2>${listed.map((each) => budgetHtml(each, 0)).join('\n')}`}
${nextPage('/budgets', {}, ofProjects.length > shown ? listed.at(-1)!.id : null)}`,
  });
};

/** One budget with its members: what each has spent of the limit that applies. */
export const budgetPage = async (state: InstancePagesState, id: string, cursor: string): Promise<Response> => {
  const caller = reader(state);
  const { budgets } = state.operations;
  const budget = await budgets.get({ id }, caller);
  const given = budget.scope.type === 'project' ? 0 : givenTo((await budgets.list({}, caller)).data);
  const { data, nextCursor } = await budgets.members({ id, limit: shown, ...(cursor === '' ? {} : { cursor }) }, caller);
  return plainPage({
    title: `${budget.name ?? id} · budget`,
    at: '/budgets',
    body: `<h1>Budget</h1>${budgetHtml(budget, given)}
${budget.memberLimits?.resetsAt ? `<p class="quiet">Limits of members begin anew ${minute(budget.memberLimits.resetsAt)}.</p>` : ''}
<h2>Members</h2>${tableOf<Member>(
      'Members',
      [
        { name: 'member', cell: ({ name, email, id: user }) => `${e(name ?? user)}<br><small class="quiet">${e(email ?? '')}</small>` },
        { name: 'spent', cell: ({ spentCents }) => dollars(spentCents), number: true },
        {
          name: 'limit',
          cell: ({ effectiveLimitCents, limitCents }) =>
            effectiveLimitCents == null ? 'none' : `${dollars(effectiveLimitCents)}${limitCents == null ? '' : ', own'}`,
        },
        {
          name: '',
          cell: ({ spentCents, effectiveLimitCents, status }) =>
            effectiveLimitCents == null
              ? ''
              : bar([{ of: status === 'exceeded' ? 'over' : 'spent', cents: spentCents, words: 'spent' }], effectiveLimitCents),
        },
      ],
      data,
      'None.',
    )}
${nextPage(`/budgets/${encodeURIComponent(id)}`, {}, nextCursor)}`,
  });
};
