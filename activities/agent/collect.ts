import { join } from 'node:path';
import { writeWhole } from '../../files/whole-file.ts';
import { ApiError, UrlsExpired } from '../../client/errors.ts';
import type { OutputOf } from '../../client/invoke.ts';
import { exportedFrom, type ExportFormat } from '../../contracts/instance/agent-shapes.ts';
import type { StepContext } from '../frame/context.ts';

export type Kept = { artifacts: number; folder: string };

/** A name that every file system takes, of any text. */
export const fileName = (text: string): string =>
  text
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/g, '')
    .slice(0, 80) || 'item';

/** So often a URL is asked for anew that has ended before its file was there. */
const mostUrls = 20;

/** What is read of an export at most. */
const mostBytes = 256 * 1024 * 1024;

/** The file of an export. Its URL ends after five minutes, also while this process stands still: then another one is asked for. */
async function fetchExport(
  agent: string,
  artifactId: string,
  format: ExportFormat,
  context: StepContext,
): Promise<{ filename: string; bytes: Uint8Array }> {
  const { signal } = context;
  for (let urls = 1; ; urls++) {
    const { url, filename } = await context.invoke('instance.agents.export', { id: agent, artifactId, format }, { signal });
    try {
      return { filename: fileName(filename ?? `${artifactId}.${format}`), bytes: await context.exportedFile(url, mostBytes) };
    } catch (error) {
      const isOver = error instanceof UrlsExpired || (error instanceof ApiError && [400, 403].includes(error.status));
      if (!isOver || urls === mostUrls) throw error;
    }
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Keeps what an agent has said, made and cost in a folder of its own; done again it writes the same files. */
export async function collect(
  agent: OutputOf<'instance.agents.get'>,
  {
    into,
    exports,
    conversation,
    usage,
  }: {
    into: string;
    exports: readonly ExportFormat[];
    conversation: OutputOf<'instance.agents.conversation'>;
    usage: OutputOf<'instance.agents.usage'>;
  },
  context: StepContext,
): Promise<Kept> {
  const { signal } = context;
  const folder = context.store.path(into);
  const { id: agentId, artifacts = [] } = agent;
  const keep = (name: string, content: string | Uint8Array): Promise<void> => writeWhole(join(folder, name), content);
  await keep('agent.json', json(agent));
  await keep('usage.json', json(usage));
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
  return { artifacts: artifacts?.length ?? 0, folder };
}
