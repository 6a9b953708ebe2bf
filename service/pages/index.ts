import type { Context, Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { HttpError } from '../core/errors.ts';
import { readBody } from '../http/body.ts';
import { errorAnswer, plainErrors, toAnswer } from '../http/answer.ts';
import { fromOtherSite, isLoopback } from '../core/loopback.ts';
import { datasetPage } from './dataset-page.ts';
import { htmlAnswer, pageHeaders } from './html.ts';
import { escapeHtml } from '../../text/html.ts';
import { createMapData } from './map-data.ts';
import type { PagesState } from './state.ts';
import { mapPage } from './map-page.ts';
import { serviceNames } from '../../contracts/index.ts';
import { referencePage } from './reference-page.ts';
import { journalPage } from './journal-page.ts';
import { organizationPage } from './organization-page.ts';
import { organizationsPage } from './organizations-page.ts';
import { pageImage } from './images.ts';
import { rootPage } from './root-page.ts';
import { tagPoints } from './tag-points.ts';

type Bindings = { Bindings: Partial<HttpBindings> };

/** The last parts of the addresses that a map's page loads from, and the query field that each reads. */
const loads = { points: '', categories: 'column', tagged: 'tag', row: 'row', search: 'q' } as const;

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

const report = (error: unknown): void => {
  if (!(error instanceof HttpError)) process.stderr.write(`pages: ${error instanceof Error ? error.stack : String(error)}\n`);
};

const errorPage = (error: unknown): Response => {
  report(error);
  const [status, text] = error instanceof HttpError ? [error.status, error.message] : [500, 'internal error; see the log of the service'];
  return htmlAnswer({ title: String(status), status, body: `<main class="plain"><h1>${status}</h1><p>${escapeHtml(text)}</p></main>` });
};

/**
 * Pages for the browser of the machine's own user, without a key: datasets, maps, organizations and the journal. All but the tagging of points
 * on a map only reads. From elsewhere they are not there (404).
 */
export const addPages = (app: Hono<Bindings>, state: PagesState): void => {
  const data = createMapData(state);
  const page = (
    path: string,
    answer: (param: (name: string) => string, query: (name: string) => string) => Response | Promise<Response>,
  ): void => {
    app.get(path, async (context) => {
      if (!isLoopback(context.env)) return context.notFound();
      try {
        return await answer(
          (name) => context.req.param(name) ?? '',
          (name) => context.req.query(name) ?? '',
        );
      } catch (error) {
        return errorPage(error);
      }
    });
  };
  const load = (
    path: string,
    answer: (context: Context<Bindings>, mapId: string) => Promise<unknown>,
    method: 'GET' | 'POST' = 'GET',
  ): void => {
    app.on(method, path, async (context) => {
      // A page of another origin could not read the answer, but make the service work for it.
      if (!isLoopback(context.env) || fromOtherSite(context.req.raw.headers)) return context.notFound();
      let response: Response;
      try {
        response = toAnswer(await answer(context, context.req.param('id') ?? ''), 200);
      } catch (error) {
        report(error);
        response = errorAnswer(error, plainErrors, '');
      }
      for (const [name, value] of Object.entries(pageHeaders)) response.headers.set(name, value);
      return response;
    });
  };

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
