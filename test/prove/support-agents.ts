import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDevFile } from '../../config/dev-file.ts';
import type { Stack } from '../support/stack.ts';

/** A pipeline of one `agent.run`, of which `more` says the rest. */
export const agentPipeline = (items: string, more: object = {}, beside: object = {}): string => `
name: agents
steps:
  ask: ${JSON.stringify({
    use: 'agent.run',
    ...beside,
    with: { items, key: 'id', prompt: 'Extract the emails of this note: {{text}}', everySeconds: 1, ...more },
  })}
outputs: { statuses: "\${{ steps.ask.statuses }}", cost: "\${{ steps.ask.costUsd }}", results: "\${{ steps.ask.results }}" }
`;

/** A table of so many notes, of which every second one has an email. */
export async function writeNotes({ dir }: Pick<Stack, 'dir'>, name: string, count: number): Promise<string> {
  const path = join(dir, `${name}.csv`);
  const rows = Array.from(
    { length: count },
    (_, at) => `${name}-${at},${at % 2 === 0 ? `Write to a${at}@example.com.` : `Nothing in note ${at}.`}`,
  );
  await writeFile(path, `id,text\n${rows.join('\n')}\n`);
  return path;
}

const limits = ['instance/standard', 'instance/heavy', 'instance/write'] as const;

/** The connection of a stack whose limits are lifted, for `startText`. */
export const own = { connection: 'own' } as const;

/** Opens the limits of the service, that it has again after a kill. */
export const openLimits = async ({ control }: Stack): Promise<void> => {
  for (const limit of limits) await control.limit(limit, 10_000_000, 60);
};

/** The same for workers too: what is published is no limit of the connection `own`. A worker knows it when it starts. */
export async function liftLimits(stack: Stack): Promise<void> {
  await openLimits(stack);
  const secret = { file: readDevFile(stack.state)!.service.keyFiles.instance };
  const wide = Object.fromEntries(limits.map((limit) => [limit, { count: 1_000_000, seconds: 1 }]));
  const connections = { [own.connection]: { instance: { url: stack.url, secret, limits: wide } } };
  await writeFile(join(stack.dir, 'portolan.config.mts'), `export default ${JSON.stringify({ connections })};\n`);
  await stack.worker.stop(0);
  await stack.worker.start(0);
}
