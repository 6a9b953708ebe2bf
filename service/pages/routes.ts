import { nothing } from '../http/body-source.ts';
import type { Context, Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { escapeHtml } from '../../text/html.ts';
import { HttpError } from '../core/errors.ts';
import { fromOtherSite, isLoopback } from '../core/loopback.ts';
import { errorAnswer, plainErrors, toAnswer } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import { pageHeaders } from './html.ts';
import { plainPage } from './plain-page.ts';

export type Bindings = { Bindings: Partial<HttpBindings> };

type Read = (name: string) => string;

const report = (error: unknown): void => {
  if (!(error instanceof HttpError)) process.stderr.write(`pages: ${error instanceof Error ? error.stack : String(error)}\n`);
};

const errorPage = (error: unknown): Response => {
  report(error);
  const [status, text] = error instanceof HttpError ? [error.status, error.message] : [500, 'internal error; see the log of the service'];
  return plainPage({ title: String(status), status, body: `<h1>${status}</h1><p role="alert">${escapeHtml(text)}</p>` });
};

/** The kinds of routes that pages are made of. From elsewhere than this machine none of them is there (404). */
export const createRoutes = (app: Hono<Bindings>) => {
  const answered = async (context: Context<Bindings>, answer: () => Response | Promise<Response>): Promise<Response> => {
    if (!isLoopback(context.env)) return context.notFound();
    try {
      return await answer();
    } catch (error) {
      return errorPage(error);
    }
  };
  const paramOf =
    (context: Context<Bindings>): Read =>
    (name) =>
      context.req.param(name) ?? '';
  return {
    /** A page, by the names in its path and those of its query. */
    page: (path: string, answer: (param: Read, query: Read) => Response | Promise<Response>): void => {
      app.get(path, (context) => answered(context, () => answer(paramOf(context), (name) => context.req.query(name) ?? '')));
    },
    /** What the form of a page does. `act` returns the address of the page that shows what has become of it. */
    form: (path: string, act: (param: Read, field: Read) => Promise<string>): void => {
      app.post(path, (context) =>
        answered(context, async () => {
          const { headers, body } = context.req.raw;
          if (fromOtherSite(headers)) throw new HttpError(403, 'the form of another origin does nothing here');
          if (!headers.get('content-type')?.startsWith('application/x-www-form-urlencoded'))
            throw new HttpError(415, 'send application/x-www-form-urlencoded');
          const fields = new URLSearchParams(Buffer.from(await readBody(body ?? nothing(), headers.get('content-length'))).toString());
          const to = await act(paramOf(context), (name) => fields.get(name) ?? '');
          return new Response(null, { status: 303, headers: { ...pageHeaders, location: to } });
        }),
      );
    },
    /** What the script of a page loads or sends: JSON, or bytes, or a refusal in the form of the API. */
    load: (path: string, answer: (context: Context<Bindings>, id: string) => Promise<unknown>, method: 'GET' | 'POST' = 'GET'): void => {
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
    },
  };
};

export type Routes = ReturnType<typeof createRoutes>;
