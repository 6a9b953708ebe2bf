import { services } from '../../contracts/index.ts';
import type { ServiceContract } from '../../contracts/service.ts';
import { escapeHtml as e } from '../../text/html.ts';
import { number } from '../../text/units.ts';
import { plainPage } from './plain-page.ts';
import type { PagesState } from './state.ts';

const most = 200;

type Listed = { organization: string; slug: string; project_name: string; created_at: string; maps: number };

const row = ({ organization, slug, project_name, created_at, maps }: Listed): string =>
  `<tr><td><a href="/data/${e(organization)}/${e(slug)}">${e(project_name)}</a></td><td>${e(organization)}/${e(slug)}</td><td class="n">${number(maps)}</td><td>${e(created_at.slice(0, 16).replace('T', ' '))} UTC</td></tr>`;

const api = ([name, { title, prefix, api: resources }]: [string, ServiceContract]): string => {
  const operations = Object.values(resources).flatMap((methods) => Object.keys(methods)).length;
  return `<li><b>${e(title)}</b> <span class="quiet">below ${e(prefix)}, ${operations} operations: <a href="/reference/${e(name)}">reference</a>, portolan docs operations; its key is in the file ${e(name)}-admin-key of the data folder</span></li>`;
};

/** The first page of the service: its APIs and its newest datasets, each with a link to its page. */
export const rootPage = ({ records }: PagesState): Response => {
  const { total } = records.get<{ total: number }>('SELECT count(*) AS total FROM projects WHERE removed_at IS NULL')!;
  const listed = records.all<Listed>(
    `SELECT organizations.slug AS organization, projects.slug AS slug, project_name, projects.created_at AS created_at,
       (SELECT count(*) FROM builds WHERE builds.project_id = projects.id) AS maps
     FROM projects JOIN organizations ON organizations.id = owner WHERE removed_at IS NULL ORDER BY projects.created_at DESC, projects.rowid DESC LIMIT ?`,
    most,
  );
  const table = `<div class="scroll" tabindex="0" role="region" aria-label="Datasets"><table><thead><tr><th scope="col">name</th><th scope="col">address</th><th scope="col">maps ordered</th><th scope="col">made</th></tr></thead>
<tbody>${listed.map(row).join('\n')}</tbody></table></div>`;
  return plainPage({
    title: 'Portolan · local service',
    at: '/',
    body: `<h1>Local service</h1>
<h2>Datasets</h2>${total === 0 ? '<p class="quiet">None yet. portolan run makes them, and so does portolan demo.</p>' : table}
${total > listed.length ? `<p class="quiet">The newest ${number(listed.length)} of ${number(total)}.</p>` : ''}
<h2>APIs</h2><ul>${Object.entries(services).map(api).join('\n')}</ul>`,
  });
};
