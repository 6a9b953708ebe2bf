import type { Hono } from 'hono';
import { serviceNames } from '../../contracts/index.ts';
import { jsonAnswer } from '../http/answer.ts';
import type { Env } from '../http/mount.ts';
import { documentPaths, openApiOf } from './document.ts';

/** Serves the document of each API to everybody: it says nothing of what is there. Made when it is first asked for. */
export const addDocuments = (app: Hono<Env>): void => {
  for (const service of serviceNames) {
    let document: unknown;
    app.get(documentPaths[service], () => jsonAnswer((document ??= openApiOf(service)), 200, { 'access-control-allow-origin': '*' }));
  }
};
