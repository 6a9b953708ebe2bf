import type { Hono } from 'hono';
import { serviceNames } from '../../contracts/index.ts';
import { HttpError } from '../core/errors.ts';
import { readBody } from '../http/body.ts';
import { datasetPage } from './dataset-page.ts';
import { pageImage } from './images.ts';
import { addInstancePages } from './instance/index.ts';
import { journalPage } from './journal-page.ts';
import { createMapData } from './map-data.ts';
import { mapPage } from './map-page.ts';
import { organizationPage } from './organization-page.ts';
import { organizationsPage } from './organizations-page.ts';
import { referencePage } from './reference-page.ts';
import { rootPage } from './root-page.ts';
import { nothing } from '../http/body-source.ts';
import { createRoutes, type Bindings } from './routes.ts';
import type { PagesState } from './state.ts';
import { schedulesPage } from './schedules-page.ts';
import { tagPoints } from './tag-points.ts';

/** The last parts of the addresses that a map's page loads from, and the query field that each reads. */
const loads = { points: '', categories: 'column', tagged: 'tag', row: 'row', search: 'q' } as const;

/**
 * Pages for the browser of the machine's own user, without a key: datasets, maps, organizations, what the instance API has, and the journal.
 * All but the tagging of points on a map and the forms of agents and workflows only reads.
 */
export const addPages = (app: Hono<Bindings>, state: PagesState): void => {
  const data = createMapData(state);
  const routes = createRoutes(app);
  const { page, load } = routes;

  page('/', () => rootPage(state));
  for (const service of serviceNames) page(`/reference/${service}`, () => referencePage(service));
  page('/organizations', () => organizationsPage(state));
  page('/organizations/:slug', (param) => organizationPage(state, param('slug')));
  page('/journal', (_, query) => journalPage(state, query('dataset')));
  page('/maps/:id', (param) => {
    data.check(param('id'));
    return mapPage();
  });
  page('/data/:organization/:slug', (param) => datasetPage(state, param('organization'), param('slug')));
  page('/schedules', () => schedulesPage(state.schedules));
  addInstancePages(routes, state.instance);
  load('/pages/images/:id/:hash', (context, project) => pageImage(state, project, context.req.param('hash') ?? ''));
  load(
    '/pages/maps/:id/tag',
    async (context, map) => {
      // What changes something is asked for by a page of this service, which says so; a form of another cannot send such a body.
      if (context.req.header('content-type') !== 'application/octet-stream') throw new HttpError(415, 'send application/octet-stream');
      const request = context.req.raw;
      const body = await readBody(request.body ?? nothing(), request.headers.get('content-length'));
      const [name, operation] = [context.req.query('name') ?? '', context.req.query('operation') ?? ''];
      return tagPoints(state, { map, name, operation, body });
    },
    'POST',
  );
  load('/pages/maps/:id', async (_, mapId) => data.about(mapId));
  for (const [name, field] of Object.entries(loads) as [keyof typeof loads, string][])
    load(`/pages/maps/:id/${name}`, async (context, mapId) => data[name](mapId, field === '' ? '' : (context.req.query(field) ?? '')));
};
