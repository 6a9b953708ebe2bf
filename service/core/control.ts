import { Hono } from 'hono';
import type { Context } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import type { z } from 'zod';
import type { Clock } from './clock.ts';
import { addInstanceOrders, type InstanceParts } from './control-instance.ts';
import { HttpError } from './errors.ts';
import type { Faults } from './faults.ts';
import { orders } from './control-orders.ts';
import { errorAnswer, jsonAnswer, plainErrors } from '../http/answer.ts';
import type { Intake } from '../http/intake.ts';
import { summarize } from './journal.ts';
import type { JournalRow } from './journal.ts';
import type { Limits } from './rate-limits.ts';
import { fromOtherSite, isLoopback } from './loopback.ts';
import type { ServiceReadings } from './readings.ts';
import type { People } from './records/people.ts';
import type { RequestLog } from './request-log.ts';
import type { AgentSettings } from '../engine/agents/parts.ts';
import type { UploadSettings } from '../engine/uploads/settings.ts';

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

/** Rows between `from` and `to` of the query, both in epoch milliseconds; without them all. */
const spanOf = (context: Context): (({ at }: { at: number }) => boolean) => {
  const [from, to] = [Number(context.req.query('from') ?? 0), Number(context.req.query('to') ?? Infinity)];
  return ({ at }) => at >= from && at <= to;
};

export type ControlParts = {
  faults: Faults;
  limits: Limits;
  intake: Intake;
  clock: Clock;
  readings: ServiceReadings;
  uploads: UploadSettings;
  log: RequestLog;
  /** Rows of the small records, and of every dataset or of one. */
  journal: (projectId?: string) => Promise<JournalRow[]>;
  agents: { settings: AgentSettings; answer: (agentId: string, answer: string) => boolean };
  people: People;
  instance: InstanceParts;
  describe: () => Record<string, unknown>;
};

/** The control plane under `/__control`: faults, limits, intake, clock, lifetimes, journal and log of requests. */
export const createControl = ({
  faults,
  limits,
  intake,
  clock,
  readings,
  uploads,
  log,
  journal,
  agents,
  people,
  instance,
  describe,
}: ControlParts): Hono<{ Bindings: Partial<HttpBindings> }> => {
  const app = new Hono<{ Bindings: Partial<HttpBindings> }>({ strict: false });
  app.use(async (context, next) => {
    const { method, headers } = context.req.raw;
    if (!isLoopback(context.env)) throw new HttpError(403, 'the control plane takes requests from this machine only');
    if (fromOtherSite(headers)) throw new HttpError(403, 'the control plane takes no request from a page of another origin');
    // A page may send a form or plain text anywhere; JSON it may not without being asked for permission first.
    if (method === 'POST' && !/^application\/json\b/i.test(headers.get('content-type') ?? ''))
      throw new HttpError(415, 'orders to the control plane are application/json');
    await next();
  });
  app.onError((error, { req }) => {
    if (!(error instanceof HttpError)) process.stderr.write(`${req.method} ${req.path}: ${error.stack ?? String(error)}\n`);
    return errorAnswer(error, plainErrors, '');
  });

  app.get('/faults', () => jsonAnswer({ faults: faults.list() }));
  app.post('/faults', async (context) => jsonAnswer({ id: faults.add(await read(context, orders.fault)) }, 201));
  app.delete('/faults', () => {
    faults.reset();
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/faults/reset', () => {
    faults.reset();
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/release', async (context) => {
    const { id } = await read(context, orders.release);
    if (!faults.release(id)) throw new HttpError(404, `no such fault: ${id}`);
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/holds/wait', async (context) => {
    const { id, timeoutMs } = await read(context, orders.wait);
    return jsonAnswer({ occupied: await faults.occupied(id, timeoutMs) });
  });

  app.get('/limits', () => jsonAnswer({ limits: limits.list() }));
  app.post('/limits', async (context) => {
    const { class: limitClass, count, seconds } = await read(context, orders.limit);
    limits.set(limitClass, count === null ? null : { count, seconds });
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/limits/reset', () => {
    limits.reset();
    return jsonAnswer({ result: 'ok' });
  });

  app.get('/intake', () => jsonAnswer({ bytesPerSecond: intake.bytesPerSecond, waiting: intake.waiting }));
  app.post('/intake', async (context) => {
    intake.set((await read(context, orders.intake)).bytesPerSecond);
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/clock', async (context) => {
    clock.move((await read(context, orders.clock)).offsetSeconds);
    return jsonAnswer({ result: 'ok', now: new Date(clock.now()).toISOString() });
  });
  app.get('/readings', () => jsonAnswer(readings.all()));
  app.post('/readings', async (context) => {
    readings.take(await read(context, orders.readings));
    return jsonAnswer(readings.all());
  });
  app.post('/readings/reset', () => {
    readings.reset();
    return jsonAnswer(readings.all());
  });
  app.post('/lifetimes', async (context) => {
    uploads.urlSeconds = (await read(context, orders.lifetimes)).partUrlSeconds;
    return jsonAnswer({ result: 'ok' });
  });

  app.post('/agents', async (context) => {
    const { pace, failures } = await read(context, orders.agents);
    if (pace) agents.settings.pace = pace;
    if (failures) Object.assign(agents.settings.failures, failures);
    return jsonAnswer(agents.settings);
  });
  app.post('/agents/answer', async (context) => {
    const { agent, answer } = await read(context, orders.answer);
    if (!agents.answer(agent, answer)) throw new HttpError(409, `agent ${agent} waits for no answer`);
    return jsonAnswer({ result: 'ok' });
  });

  app.post('/users', async (context) => jsonAnswer({ id: people.addUser(await read(context, orders.user)) }, 201));
  app.post('/keys', async (context) => jsonAnswer(people.issueKey(await read(context, orders.key)), 201));

  addInstanceOrders(app, read, instance);

  app.get('/journal', async (context) => {
    const within = spanOf(context);
    const rows = await journal(context.req.query('project'));
    // What repeats what is known from all rows; only those of the span are sent.
    const { repeatedRows, ...summary } = summarize(rows);
    return jsonAnswer({ summary, repeated: repeatedRows.filter(within), rows: rows.filter(within) });
  });
  app.get('/requests', (context) => jsonAnswer({ summary: log.summary(), rows: log.rows().filter(spanOf(context)) }));
  app.get('/state', () =>
    jsonAnswer({
      ...describe(),
      faults: faults.list(),
      unfired: faults.list().filter(({ unfired }) => unfired),
      limits: limits.list(),
      bytesPerSecond: intake.bytesPerSecond,
      offsetSeconds: clock.offsetSeconds,
      lifetimes: { partUrlSeconds: uploads.urlSeconds },
      readings: readings.all(),
    }),
  );
  return app;
};
