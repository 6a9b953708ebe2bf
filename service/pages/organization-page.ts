import { escapeHtml as e } from '../../text/html.ts';
import { bytes, number } from '../../text/units.ts';
import { notFound } from '../core/errors.ts';
import type { KeyRow } from '../core/records/keys.ts';
import type { OrganizationRow } from '../core/records/organizations.ts';
import { usageOf, type ModelUsage } from '../core/records/usage.ts';
import { isTextModel } from '../../contracts/maps/models.ts';
import type { PagesState } from './state.ts';
import { minute, plainPage, tableOf } from './plain-page.ts';

const mostKeys = 200;

type Member = { name: string; email: string; access_role: string };
type Dataset = { id: string; slug: string; project_name: string; privacy: string; created_at: string };

const keysOf = ({ records }: PagesState, organization: string): (KeyRow & { owner: string })[] =>
  records.all(
    `SELECT keys.*, users.name AS owner FROM keys JOIN users ON users.id = user_id
     WHERE organization_id = ? AND revoked_at IS NULL ORDER BY keys.created_at DESC, keys.rowid DESC LIMIT ?`,
    organization,
    mostKeys,
  );

/** What a key is for. A key itself is kept by nobody: its first and last characters are all that can be shown. */
const scopeOf = ({ target_kind, scopes, role }: KeyRow): string => {
  const listed = (JSON.parse(scopes) as string[]).join(', ');
  return [target_kind?.toLowerCase() ?? 'user', role, listed].filter(Boolean).join(' · ');
};

const keysTable = (keys: readonly (KeyRow & { owner: string })[]): string =>
  tableOf<KeyRow & { owner: string }>(
    'Keys',
    [
      { name: 'name', cell: ({ key_name }) => e(key_name) },
      { name: 'key', cell: ({ prefix, suffix }) => `<code>${e(prefix)}…${e(suffix)}</code>` },
      { name: 'API', cell: ({ service }) => e(service) },
      { name: 'for', cell: (key) => e(scopeOf(key)) },
      { name: 'of', cell: ({ owner }) => e(owner) },
      { name: 'made', cell: ({ created_at }) => minute(created_at) },
      { name: 'last used', cell: ({ last_used_at }) => minute(last_used_at) },
    ],
    keys,
    'None.',
  );

const usageTable = (models: readonly ModelUsage[]): string =>
  tableOf<ModelUsage>(
    'Usage',
    [
      { name: 'model', cell: ({ model }) => e(model) },
      { name: 'of', cell: ({ model }) => (isTextModel(model) ? 'texts' : 'images') },
      { name: 'embeddings', cell: ({ embeddings }) => number(embeddings), number: true },
      { name: 'tokens', cell: ({ tokens }) => number(tokens), number: true },
    ],
    models,
    'Nothing was embedded this month.',
  );

/** The page of an organization: its datasets, members, keys, and what it has used this month. */
export const organizationPage = (state: PagesState, slug: string): Response => {
  const { records, datasets, clock, userId } = state;
  const found = records.get<OrganizationRow>(
    'SELECT * FROM organizations WHERE slug = ? AND id IN (SELECT organization_id FROM memberships WHERE user_id = ?)',
    slug,
    userId,
  );
  if (!found) throw notFound('organization', slug);
  const members = records.all<Member>(
    'SELECT name, email, access_role FROM memberships JOIN users ON users.id = user_id WHERE organization_id = ? ORDER BY users.created_at, users.rowid',
    found.id,
  );
  const listed = records.all<Dataset>(
    'SELECT id, slug, project_name, privacy, created_at FROM projects WHERE owner = ? AND removed_at IS NULL ORDER BY created_at DESC, rowid DESC',
    found.id,
  );
  const today = new Date(clock.now());
  const from = Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
  const used = usageOf(records, found.id, { from, to: Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1) });
  const storage = listed.reduce((sum, { id }) => sum + datasets.bytes(id), 0);
  return plainPage({
    title: `${found.nickname} · organization`,
    at: '/organizations',
    body: `<h1>${e(found.nickname)}</h1>${found.description ? `<p>${e(found.description)}</p>` : ''}
<p class="quiet">${e(found.slug)} · ${members.length} ${members.length === 1 ? 'member' : 'members'} · ${listed.length} ${listed.length === 1 ? 'dataset' : 'datasets'} · ${bytes(storage)} on the disk</p>
<h2>Datasets</h2>${tableOf<Dataset>(
      'Datasets',
      [
        {
          name: 'name',
          cell: (each) => `<a href="/data/${encodeURIComponent(found.slug)}/${encodeURIComponent(each.slug)}">${e(each.project_name)}</a>`,
        },
        { name: 'who may read it', cell: ({ privacy }) => e(privacy) },
        { name: 'on the disk', cell: ({ id }) => bytes(datasets.bytes(id)), number: true },
        { name: 'made', cell: ({ created_at }) => minute(created_at) },
      ],
      listed,
      'None yet.',
    )}
<h2>Used this month</h2>${usageTable(used)}
<h2>Members</h2>${tableOf<Member>(
      'Members',
      [
        { name: 'name', cell: ({ name }) => e(name) },
        { name: 'mail', cell: ({ email }) => e(email) },
        { name: 'role', cell: ({ access_role }) => e(access_role) },
      ],
      members,
      'None.',
    )}
<h2>Keys</h2>${keysTable(keysOf(state, found.id))}`,
  });
};
