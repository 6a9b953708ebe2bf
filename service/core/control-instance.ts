import type { Context, Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { z } from 'zod';
import { jsonAnswer } from '../http/answer.ts';
import type { Budgets } from '../engine/budgets/budgets.ts';
import type { Owner } from '../engine/files/folders.ts';
import type { Workflows } from '../engine/workflows/workflows.ts';
import type { Records } from './records/database.ts';

const cents = z.int().min(0);

const orders = {
  contract: z.strictObject({ amountCents: cents.optional(), projectBudgets: z.boolean().optional() }),
  run: z.strictObject({
    run: z.string().min(1),
    /** Absent: the first user. */
    user: z.guid().optional(),
    projectId: z.guid().optional(),
    versionId: z.guid().optional(),
    /** Billionths of a US dollar. */
    nanoUsd: z.int().min(0),
  }),
  share: z.strictObject({ workflowId: z.guid(), shared: z.boolean() }),
};

export type InstanceParts = { records: Records; budgets: Budgets; workflows: Workflows; owner: Owner };

type App = Hono<{ Bindings: Partial<HttpBindings> }>;
type Read = <T>(context: Context, schema: z.ZodType<T>) => Promise<T>;

/**
 * Orders for what the instance API has no operation for: the contract of the organization, the sharing of workflows, the audit log, artifacts
 * of agents that are gone, and a run that costs money as an agent's does, which is refused where an agent's would be.
 */
export const addInstanceOrders = (app: App, read: Read, { records, budgets, workflows, owner }: InstanceParts): void => {
  app.post('/contract', async (context) => {
    const contract = await read(context, orders.contract);
    records.transaction(() => budgets.setContract(owner.organizationId, contract));
    return jsonAnswer({ result: 'ok' });
  });
  app.post('/runs', async (context) => {
    const { run, user = owner.userId, projectId = null, versionId, nanoUsd } = await read(context, orders.run);
    const spender = { userId: user, organizationId: owner.organizationId, projectId };
    return jsonAnswer(
      records.transaction(() => {
        const blocked = budgets.blocked(spender);
        if (blocked) return { blocked };
        if (versionId !== undefined) workflows.ran(versionId, run);
        budgets.charge(spender, { agentId: run, nanoUsd });
        return { result: 'ok' };
      }),
    );
  });
  app.get('/audit', () => jsonAnswer({ rows: records.all('SELECT at, user_id, operation, subject, reason FROM audit ORDER BY rowid') }));
  app.get('/artifacts', () =>
    jsonAnswer({ rows: records.all('SELECT id, agent_id AS creatingSessionId, type, name FROM artifacts ORDER BY rowid') }),
  );
  app.post('/share', async (context) => {
    const { workflowId, shared } = await read(context, orders.share);
    records.transaction(() => workflows.share(workflowId, shared));
    return jsonAnswer({ result: 'ok' });
  });
};
