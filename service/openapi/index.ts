import type { Hono } from 'hono';
import { serviceNames } from '../../contracts/index.ts';
import { jsonAnswer } from '../http/answer.ts';
import type { Env } from '../http/mount.ts';
import { documentPaths, openApiOf, type OpenApi } from './document.ts';

/** Serves the document of each API to everybody, with the address at which it was asked for: it says nothing of what is there. Made when it is first asked for. */
export const addDocuments = (app: Hono<Env>): void => {
  for (const service of serviceNames) {
    let document: OpenApi | undefined;
    app.get(documentPaths[service], ({ req }) => {
      document ??= openApiOf(service);
      const servers = [{ url: new URL(req.url).origin }];
      return jsonAnswer({ ...document, servers }, 200, { 'access-control-allow-origin': '*' });
    });
  }
};
