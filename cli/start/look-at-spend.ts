import { createClient } from '../../client/create-client.ts';
import type { Client } from '../../client/client.ts';
import { resolveService } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import type { Config } from '../../config/load.ts';
import type { Apis } from '../../contracts/index.ts';
import { costOf } from '../../contracts/instance/agent-shapes.ts';
import { known } from '../../pipelines/file/embedded-expressions.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { SpentFacts } from '../../pipelines/step.ts';
import { isLaunchedBy } from '../../pipelines/steps/agent/prompt.ts';
import { definition as agentRun } from '../../pipelines/steps/agent/run.ts';
import type { Refused } from './not-asked.ts';
import { notRead } from './not-read.ts';

type Api = Client<Apis['instance']>;

/** Agents that are looked at: three reads of each at most. */
const mostAgents = 20;

/**
 * What agents that have finished have cost, of the same prompt or workflow as the steps of a plan, by step, so that `plan` can say what its
 * agents will cost; a service that does not answer is the reason why nobody knows, which `refused` gets too.
 */
export async function lookAtSpend(plan: Plan, config: Config, refused: Refused): Promise<ReadonlyMap<string, SpentFacts>> {
  const found = new Map<string, SpentFacts>();
  for (const { id, use, with: input, connections } of plan.steps) {
    if (use !== agentRun.name) continue;
    const { workflow, prompt } = known(input) as { workflow?: string; prompt?: string };
    const kind = workflow !== undefined ? { workflow } : prompt !== undefined ? { prompt } : undefined;
    if (kind)
      found.set(
        id,
        await ask(config, connections['instance'], kind).catch((error: Error) => {
          refused('instance', connections['instance'], error);
          return notRead('what agents of this kind have cost', error);
        }),
      );
  }
  return found;
}

async function ask(config: Config, name: string | undefined, kind: { workflow: string } | { prompt: string }): Promise<SpentFacts> {
  const connection = resolveService(config, 'instance', name);
  const api: Api = createClient('instance', {
    baseUrl: connection.url,
    token: connection.token,
    permits: createGates(config)(connection),
    timeoutMs: 5_000,
  });
  const { data } = await api.agents.list({ limit: 100, status: 'finished', workflowId: 'workflow' in kind ? kind.workflow : 'null' });
  const costs: number[] = [];
  let looked = 0;
  for (const { id } of data) {
    if (costs.length === mostAgents || looked === 2 * mostAgents) break;
    looked++;
    if ('prompt' in kind && !(await isOfPrompt(api, id, kind.prompt))) continue;
    costs.push(costOf(await api.agents.usage({ id })));
  }
  return costs.length === 0 ? { agents: 0 } : { agents: costs.length, least: Math.min(...costs), most: Math.max(...costs) };
}

async function isOfPrompt(api: Api, id: string, prompt: string): Promise<boolean> {
  const { messages } = await api.agents.conversation({ id });
  return isLaunchedBy(prompt, messages.find(({ type }) => type === 'user')?.text ?? '');
}
