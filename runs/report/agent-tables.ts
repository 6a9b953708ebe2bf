import { escapeHtml as e } from '../../text/html.ts';
import { cost } from '../../text/money.ts';
import { number } from '../../text/units.ts';
import type { AgentStep } from './agents.ts';
import { section } from './tables.ts';

/** More items than these are folded. */
const open = 200;

/** Characters of what an agent said last. */
const mostText = 160;

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > mostText ? `${line.slice(0, mostText)}…` : line;
};

/** What agents have cost by model, and by the member whose key the connection has. */
export const agentCosts = (steps: readonly AgentStep[], connections: Readonly<Record<string, string>>): string => {
  const member = connections['instance'] === undefined ? '' : `whose key ${connections['instance']} has`;
  const all = steps.flatMap(({ step, models }) => models.map((model) => ({ step, ...model })));
  const total = all.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const rows = all.map(({ step, model, items, inputTokens, outputTokens, costUsd }) => [
    e(step),
    e(model),
    e(member),
    number(items),
    number(inputTokens),
    number(outputTokens),
    cost(costUsd),
  ]);
  const sum = rows.length > 1 ? [['', '', '', '', '', '<b>together</b>', `<b>${cost(total)}</b>`]] : [];
  return section(
    'Cost of agents',
    ['step', 'model', 'member', 'items', 'tokens in', 'tokens out', 'cost'],
    [...rows, ...sum],
    [3, 4, 5, 6],
  );
};

/** Each item with its turns, the first ones of many; folded where they are more than a screen or two. */
export const agentItems = (steps: readonly AgentStep[]): string =>
  steps
    .map(({ step, items, count }) => {
      const title = `Agents of ${e(step)}`;
      const table = section(
        title,
        ['item', 'ended', 'turns', 'artifacts', 'cost', 'last said'],
        items.map(({ item, status, turns, artifacts, costUsd, text, agent }) => [
          agent === '' ? e(item) : `<span title="${e(agent)}">${e(item)}</span>`,
          `<span class="fate ${e(status)}">${e(status)}</span>`,
          number(turns),
          number(artifacts),
          cost(costUsd),
          `<span class="quiet">${e(shortened(text))}</span>`,
        ]),
        [2, 3, 4],
        'No agent has ended yet.',
      );
      const more =
        count > items.length
          ? `<p class="quiet">The first ${number(items.length)} of ${number(count)} items; all of them: <code>portolan items --results --step ${e(step)}</code></p>`
          : '';
      return count > open ? `<details><summary>${title}: ${number(count)} items</summary>${table}${more}</details>` : table + more;
    })
    .join('\n');
