import { join } from 'node:path';
import { writeWhole } from '../../files/whole-file.ts';
import type { OutputOf } from '../../client/invoke.ts';
import { exportedFrom, type ExportFormat } from '../../contracts/instance/agent-shapes.ts';
import type { StepContext } from '../frame/context.ts';
import { fetchExport } from './fetch-export.ts';
import { fileName } from './file-name.ts';
import { subAgentsOf } from './sub-agents.ts';

type Agent = OutputOf<'instance.agents.get'>;
type Conversation = OutputOf<'instance.agents.conversation'>;

/** `artifacts`: of the agent and of those that it has started. */
export type Kept = { artifacts: number; folder: string };

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Keeps what one agent has said and made; the number of its artifacts. */
async function collectOne(
  agent: Agent,
  { folder, exports, conversation }: { folder: string; exports: readonly ExportFormat[]; conversation: Conversation },
  context: StepContext,
): Promise<number> {
  const { signal } = context;
  const { id: agentId, artifacts = [] } = agent;
  const keep = (name: string, content: string | Uint8Array): Promise<void> => writeWhole(join(folder, name), content);
  await keep('agent.json', json(agent));
  await keep('conversation.json', json(conversation));
  for (const [at, { id }] of (artifacts ?? []).entries()) {
    const artifact = await context.invoke('instance.agents.artifact', { id: agentId, artifactId: id }, { signal });
    const name = `${String(at + 1).padStart(2, '0')}-${fileName(artifact.name ?? id)}-v${artifact.version ?? 1}`;
    if (typeof artifact.content === 'string') await keep(join('artifacts', `${name}.md`), artifact.content);
    else await keep(join('artifacts', `${name}.json`), json(artifact));
    for (const format of exports.filter((each) => exportedFrom[each] === artifact.type)) {
      const { bytes } = await fetchExport(agentId, id, format, context);
      await keep(join('artifacts', `${name}.${format === 'drawing_review_pdf' ? 'pdf' : format}`), bytes);
    }
  }
  return artifacts?.length ?? 0;
}

/**
 * Keeps what an agent has said, made and cost in a folder of its own, and what the agents have said and made that it has started: what they
 * make is theirs, and no artifact of its own. Done again it writes the same files.
 */
export async function collect(
  agent: Agent,
  {
    into,
    exports,
    conversation,
    usage,
  }: { into: string; exports: readonly ExportFormat[]; conversation: Conversation; usage: OutputOf<'instance.agents.usage'> },
  context: StepContext,
): Promise<Kept> {
  const folder = context.store.path(into);
  await writeWhole(join(folder, 'usage.json'), json(usage));
  let artifacts = await collectOne(agent, { folder, exports, conversation }, context);
  for await (const { place, ...sub } of subAgentsOf(agent.id, conversation, context))
    artifacts += await collectOne(sub.agent, { folder: join(folder, ...place), exports, conversation: sub.conversation }, context);
  return { artifacts, folder };
}
