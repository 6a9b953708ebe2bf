import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { operations, serviceNames, serviceOf, services, type Apis, type Service } from '../../contracts/index.ts';
import { served } from '../apis/served.ts';
import { HttpError } from '../core/errors.ts';
import { honoPath, matchedPath, routesOf, type Address } from './addresses.ts';
import { errorAnswer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { CallContext, Handlers } from './handlers.ts';

export type Env = { Bindings: Partial<HttpBindings> };

/** The handlers of every API. */
export type AllHandlers = { [S in Service]: Handlers<Apis[S]> };

type AnyHandler = (input: never, context: CallContext) => unknown;

/** Puts every operation of every API under its addresses. What no address takes is refused in the form of the API whose prefix it has. */
export const mountOperations = (app: Hono<Env>, handlers: AllHandlers, exchange: Exchange): void => {
  const routes = routesOf(mapValues(served, ({ addresses }) => addresses));
  for (const service of serviceNames) if (served[service].cors) app.use(`${services[service].prefix}*`, readableElsewhere);
  for (const route of routes) {
    const { operation } = route;
    const [, resource, name] = operation.split('.') as [Service, string, string];
    const resources: Readonly<Record<string, Readonly<Record<string, AnyHandler>>>> = handlers[serviceOf(operation)];
    const handler = resources[resource]![name]!;
    app.on(route.method, matchedPath(route, routes), (context) =>
      exchange.call({
        address: route,
        endpoint: operations[operation],
        handler,
        request: context.req.raw,
        params: context.req.param(),
        bindings: bindingsOf(context),
      }),
    );
  }
  // Behind all of them: who comes here has named an address, but no method of it.
  for (const [path, methods] of methodsByPath(routes)) app.all(honoPath(path), (context) => wrongMethod(context, methods));
  app.notFound(unknown);
};

/** The connection of a request; undefined in process. */
export const bindingsOf = ({ env }: Context<Env>): HttpBindings | undefined => {
  const { incoming, outgoing } = env ?? {};
  return incoming && outgoing ? { incoming, outgoing } : undefined;
};

const mapValues = <K extends string, A, B>(table: Readonly<Record<K, A>>, change: (value: A) => B): Record<K, B> =>
  Object.fromEntries(Object.entries<A>(table).map(([key, value]) => [key, change(value)])) as Record<K, B>;

const methodsByPath = (routes: readonly Address[]): Map<string, string[]> => {
  const methods = new Map<string, string[]>();
  for (const route of routes) methods.set(honoPath(route.path), [...(methods.get(honoPath(route.path)) ?? []), route.method]);
  return methods;
};

const refused = (context: Context<Env>, error: HttpError): Response => {
  const { path } = context.req;
  const service = serviceNames.find((name) => path.startsWith(services[name].prefix)) ?? 'maps';
  const answer = errorAnswer(error, services[service].errors, '');
  answer.headers.set('x-request-id', context.req.header('x-request-id') ?? randomUUID());
  return answer;
};

const unknown = (context: Context<Env>): Response =>
  refused(context, new HttpError(404, `no such operation: ${context.req.method} ${context.req.path}`));

const wrongMethod = (context: Context<Env>, methods: readonly string[]): Response =>
  refused(
    context,
    new HttpError(405, `${context.req.path} takes ${methods.join(' or ')}, not ${context.req.method}`, { allow: methods.join(', ') }),
  );

/** Headers of answers that a client in a browser reads beside those that every page may: how to send again, and where a file is. */
const readable = ['x-request-id', 'retry-after', 'etag', 'deprecation', 'link', 'www-authenticate', 'allow', 'content-disposition'].join(
  ', ',
);

/** CORS: pages of any origin may call, because the key is in a header that only a page which has it can send. */
const readableElsewhere = async (context: Context<Env>, next: () => Promise<void>): Promise<Response | void> => {
  if (context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') !== undefined)
    return new Response(null, {
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
        'access-control-allow-headers': context.req.header('access-control-request-headers') ?? 'authorization, content-type',
        'access-control-max-age': '600',
      },
    });
  await next();
  // A connection that an ordered fault cuts has had its answer.
  if (context.res.headers.has('x-hono-already-sent')) return;
  context.res.headers.set('access-control-allow-origin', '*');
  context.res.headers.set('access-control-expose-headers', readable);
};
