import type { z } from 'zod';
import type { message } from '../../../contracts/instance/agent-shapes.ts';
import { counted, number } from '../../../text/units.ts';
import { escapeHtml as e } from '../../../text/html.ts';
import { minute } from '../plain-page.ts';

type Message = z.input<typeof message>;

/** Messages of a page. */
const shown = 200;

const stepTypes = new Set(['thinking', 'tool', 'compaction']);
const who: Readonly<Record<string, string>> = { user: 'Prompt', assistant: 'Agent', error: 'Failure' };

const step = ({ type, text, toolName, status, subAgentIds }: Message): string => {
  const name = type === 'tool' ? `<code>${e(toolName ?? 'tool')}</code>` : e(type);
  const subs = (subAgentIds ?? []).map((id, at) => ` <a href="/agents/${encodeURIComponent(id)}">sub-agent ${at + 1}</a>`).join('');
  return `<li>${name}${status ? ` <span class="quiet">${e(status)}</span>` : ''}${subs}${text ? `<div class="said quiet">${e(text)}</div>` : ''}</li>`;
};

/** Steps in a row are folded; the last ones are open while the agent goes on. */
const steps = (messages: readonly Message[], open: boolean): string =>
  `<li class="steps"><details${open ? ' open' : ''}><summary>${counted(messages.length, 'step')}: ${e([...new Set(messages.map(({ type, toolName }) => toolName ?? type))].join(', '))}</summary><ul>${messages.map(step).join('\n')}</ul></details></li>`;

const spoken = ({ type, text, createdAt }: Message): string =>
  `<li class="${type === 'user' ? 'user' : type === 'error' ? 'error' : 'assistant'}"><h3>${e(who[type] ?? type)} <small class="quiet">${minute(createdAt ?? null)}</small></h3><div class="said">${e(text ?? '')}</div></li>`;

/**
 * What was said and done, in its order, as many messages as a page holds: the last ones, or those before number `before`.
 * `goesOn`: the agent works at its last steps.
 */
export const conversationHtml = (id: string, messages: readonly Message[], before: string, goesOn: boolean): string => {
  const to = /^\d{1,9}$/.test(before) ? Math.min(Number(before), messages.length) : messages.length;
  const from = Math.max(0, to - shown);
  const blocks: Message[][] = [];
  for (const each of messages.slice(from, to)) {
    const last = blocks.at(-1);
    if (last && stepTypes.has(each.type) && stepTypes.has(last[0]!.type)) last.push(each);
    else blocks.push([each]);
  }
  const items = blocks.map((block, at) =>
    stepTypes.has(block[0]!.type) ? steps(block, goesOn && to === messages.length && at === blocks.length - 1) : spoken(block[0]!),
  );
  const earlier = from === 0 ? '' : `<p><a href="/agents/${e(id)}?before=${from}">The ${number(from)} messages before</a></p>`;
  const later = to === messages.length ? '' : `<p><a href="/agents/${e(id)}">The newest messages</a></p>`;
  return messages.length === 0
    ? '<p class="quiet">Nothing yet.</p>'
    : `${earlier}<ol class="conversation">${items.join('\n')}</ol>${later}`;
};
