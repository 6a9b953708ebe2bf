import { escapeHtml as e } from '../../text/html.ts';
import { number } from '../../text/units.ts';
import { summarize, type JournalRow } from '../core/journal.ts';
import { readJournals } from '../engine/journals.ts';
import type { PagesState } from './state.ts';
import { plainPage, tableOf } from './plain-page.ts';

const most = 200;

/** `2026-11-21 12:04:07.345`: rows of one second are distinguished. */
const instant = (at: number): string => new Date(at).toISOString().slice(0, 23).replace('T', ' ');

/** What the service has done, the newest first: every effect stands here with the request that asked for it. */
export const journalPage = async ({ records, datasets }: PagesState, only: string): Promise<Response> => {
  const named = only === '' ? undefined : records.get<{ project_name: string }>('SELECT project_name FROM projects WHERE id = ?', only);
  const rows = await readJournals(records, datasets)(named ? only : undefined);
  const { effects, repeated, harmless } = summarize(rows);
  const shown = rows.slice(-most).toReversed();
  const table = tableOf<JournalRow>(
    'Journal',
    [
      { name: 'when, UTC', cell: ({ at }) => `<span class="n">${instant(at)}</span>` },
      {
        name: 'operation',
        cell: ({ operation, act }) => `${e(operation)}${/^[a-z-]{1,20}$/.test(act) ? ` <span class="quiet">${e(act)}</span>` : ''}`,
      },
      { name: 'on', cell: ({ subject }) => e(subject) },
      { name: 'changed', cell: ({ changed }) => number(changed), number: true },
      { name: 'request', cell: ({ request_id }) => `<code>${e(request_id.slice(0, 13))}</code>` },
    ],
    shown,
    'Nothing yet.',
  );
  return plainPage({
    title: 'Journal · local service',
    at: '/journal',
    body: `<h1>Journal</h1>${named ? `<p>Of <b>${e(named.project_name)}</b> and of the service. <a href="/journal">Of all datasets</a></p>` : ''}
<p class="quiet">${number(effects)} effects · ${number(repeated)} repeated · ${number(harmless)} that changed nothing${rows.length > most ? ` · the newest ${most} of ${number(rows.length)}` : ''}</p>
${table}`,
  });
};
