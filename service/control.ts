import { Hono } from 'hono';
import type { Context } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { z } from 'zod';
import { isOperation } from '../contracts/index.ts';
import { limits as published } from '../contracts/limits.ts';
import type { LimitClass } from '../contracts/limits.ts';
import { HttpError } from './errors.ts';
import type { Faults } from './faults.ts';
import { errorAnswer, jsonAnswer } from './http/answer.ts';
import { summarize } from './journal.ts';
import type { JournalRow } from './journal.ts';
import type { Limits } from './limits.ts';
import { isLoopback } from './loopback.ts';
import type { RequestLog } from './request-log.ts';

const disturbance = z.union([
  z.strictObject({
    status: z.int().min(200).max(599),
    retryAfter: z.union([z.int().min(0), z.literal('date')]).optional(),
    detail: z.string().optional(),
  }),
  z.strictObject({ lose: z.literal('answer') }),
  z.strictObject({ reset: z.literal('before') }),
  z.strictObject({ hold: z.enum(['before', 'after']) }),
]);

const bodies = {
  fault: z.strictObject({
    operation: z.string().refine(isOperation, 'unknown operation'),
    nth: z.int().min(1).default(1),
    times: z.int().min(1).default(1),
    do: disturbance,
  }),
  release: z.strictObject({ id: z.string() }),
  wait: z.strictObject({ id: z.string(), timeoutMs: z.int().min(0).max(600_000).default(60_000) }),
  limit: z.strictObject({
    class: z.string().refine((name): name is LimitClass => Object.hasOwn(published, name), 'unknown limit class'),
    count: z.int().min(0).nullable(),
    seconds: z.number().positive().default(60),
  }),
};

const read = async <T>(context: Context, schema: z.ZodType<T>): Promise<T> => {
  const parsed = schema.safeParse(await context.req.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new HttpError(
    422,
    parsed.error.issues.map((issue) => ({
      loc: ['body', ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))],
      msg: issue.message,
      type: issue.code,
    })),
  );
};

export type ControlParts = {
  faults: Faults;
  limits: Limits;
  log: RequestLog;
  journal: () => Promise<JournalRow[]>;
  describe: () => Record<string, unknown>;
};

/** The control plane: faults, limits, journal and log of requests, under `/__control`. */
export const createControl = ({ faults, limits, log, journal, describe }: ControlParts): Hono<{ Bindings: Partial<HttpBindings> }> => {
  const app = new Hono<{ Bindings: Partial<HttpBindings> }>({ strict: false });
  app.use(async (context, next) => {
    if (!isLoopback(context.env)) throw new HttpError(403, 'the control plane answers on loopback only');
    await next();
  });
  app.onError((error) => errorAnswer(error));

  app.get('/faults', () => jsonAnswer({ faults: faults.list() }));
  app.post('/faults', async (context) => jsonAnswer({ id: faults.add(await read(context, bodies.fault)) }, 201));
  app.delete('/faults', () => {
    faults.reset();
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/faults/reset', () => {
    faults.reset();
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/release', async (context) => {
    const { id } = await read(context, bodies.release);
    if (!faults.release(id)) throw new HttpError(404, `no such fault: ${id}`);
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/holds/wait', async (context) => {
    const { id, timeoutMs } = await read(context, bodies.wait);
    return jsonAnswer({ occupied: await faults.occupied(id, timeoutMs) });
  });

  app.get('/limits', () => jsonAnswer({ limits: limits.list() }));
  app.post('/limits', async (context) => {
    const { class: limitClass, count, seconds } = await read(context, bodies.limit);
    limits.set(limitClass, count === null ? null : { count, seconds });
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/limits/reset', () => {
    limits.reset();
    return jsonAnswer({ result: 'ok' });
  });

  app.get('/journal', async () => {
    const rows = await journal();
    const { repeatedRows, ...summary } = summarize(rows);
    return jsonAnswer({ summary, repeated: repeatedRows, rows });
  });
  app.get('/requests', () => jsonAnswer({ summary: log.summary(), rows: log.rows() }));
  app.get('/state', () =>
    jsonAnswer({ ...describe(), faults: faults.list(), unfired: faults.list().filter(({ unfired }) => unfired), limits: limits.list() }),
  );
  return app;
};
