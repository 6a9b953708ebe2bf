import { escapeHtml as e } from '../../text/html.ts';
import { number } from '../../text/units.ts';
import type { PagesState } from './state.ts';
import { plainPage, tableOf } from './plain-page.ts';

type Listed = { slug: string; nickname: string; organization_type: string; members: number; datasets: number; keys: number };

/** The organizations of the service's first user, each with a link to its page. */
export const organizationsPage = ({ records, userId }: PagesState): Response => {
  const listed = records.all<Listed>(
    `SELECT slug, nickname, organization_type,
       (SELECT count(*) FROM memberships WHERE organization_id = organizations.id) AS members,
       (SELECT count(*) FROM projects WHERE owner = organizations.id AND removed_at IS NULL) AS datasets,
       (SELECT count(*) FROM keys WHERE organization_id = organizations.id AND revoked_at IS NULL) AS keys
     FROM organizations WHERE id IN (SELECT organization_id FROM memberships WHERE user_id = ?) ORDER BY created_at, rowid`,
    userId,
  );
  const table = tableOf<Listed>(
    'Organizations',
    [
      { name: 'name', cell: ({ slug, nickname }) => `<a href="/organizations/${encodeURIComponent(slug)}">${e(nickname)}</a>` },
      { name: 'address', cell: ({ slug }) => e(slug) },
      { name: 'kind', cell: ({ organization_type }) => e(organization_type) },
      { name: 'members', cell: ({ members }) => number(members), number: true },
      { name: 'datasets', cell: ({ datasets }) => number(datasets), number: true },
      { name: 'keys', cell: ({ keys }) => number(keys), number: true },
    ],
    listed,
    'None.',
  );
  return plainPage({ title: 'Organizations · local service', at: '/organizations', body: `<h1>Organizations</h1>${table}` });
};
