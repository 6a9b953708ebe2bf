import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasEnded } from '../../contracts/instance/agent-shapes.ts';
import { BadInput } from '../../errors/classes.ts';
import type { LedgerRun } from '../../pipelines/budgets/ledger-parts.ts';
import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import type { StepContext } from '../frame/context.ts';

/** An agent whose usage is read. `member`: how the user is called whose it is; null: nobody says. */
export type RunOf = { agent: string; member: string | null };

type Listed = { id: string; status: string; projectId?: string | null; createdAt?: string | null; updatedAt?: string | null };

export const isUnderWay = (status: string): boolean => !hasEnded({ status });

/** Agents of the caller, as the list has them now. */
export async function listedAgents({ pages, signal }: StepContext): Promise<Listed[]> {
  const found = new Map<string, Listed>();
  for await (const { data } of pages('instance.agents.list', { limit: 100 }, { signal })) for (const each of data) found.set(each.id, each);
  return [...found.values()];
}

/** The agents that a table names, with whose they are. */
export async function namedRuns(source: SourceSpec, context: StepContext): Promise<RunOf[]> {
  const place = join('budgets', context.step, `${context.attemptId}-runs`);
  const into = context.store.path(place);
  const listed = await context.tables.listRows(
    { source, into, parts: 1_000_000, leastRows: 1_000, mostRows: 1_000 },
    { signal: context.signal, progress: (done) => context.progress({ done, unit: 'rows', note: 'listing' }) },
  );
  refuseChanged(context, sourceName(source), { ...listed.source, rows: listed.rows });
  const found: RunOf[] = [];
  for (const { file, first } of listed.parts) {
    const lines = (await readFile(join(into, file), 'utf8')).split('\n').filter((line) => line !== '');
    for (const [at, line] of lines.entries()) {
      const [, row] = JSON.parse(line) as [string, { agent?: unknown; member?: unknown }];
      const where = `runs: row ${first + at + 1} of ${sourceName(source)}`;
      for (const column of ['agent', 'member'] as const)
        if (typeof row[column] !== 'string' || row[column] === '')
          throw new BadInput(
            'bad_input',
            `${where} has no text in the column '${column}': each row names an agent by its id, and its user by email or id`,
          );
      found.push({ agent: row.agent as string, member: row.member as string });
    }
  }
  await rm(into, { recursive: true, force: true });
  return found;
}

/** What an agent is and has cost now; undefined where it is gone, or this key does not see it. */
export async function readRun({ agent, member }: RunOf, { invoke, signal }: StepContext): Promise<LedgerRun | undefined> {
  try {
    const detail = await invoke('instance.agents.get', { id: agent }, { signal });
    const { spend } = await invoke('instance.agents.usage', { id: agent }, { signal });
    return {
      run: agent,
      member,
      project: detail.projectId ?? null,
      createdAt: detail.createdAt ?? null,
      updatedAt: detail.updatedAt ?? null,
      underWay: isUnderWay(detail.status),
      gone: false,
      models: spend.map(({ model, costUsd }) => ({ model, nano: Math.round(costUsd * 1e9) })),
    };
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
    throw error;
  }
}
