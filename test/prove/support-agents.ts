import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Limits that a proof of other things does not meet. */
export const liftLimits = async ({ control }: Stack): Promise<void> => {
  for (const limit of ['instance/standard', 'instance/heavy', 'instance/write'] as const) await control.limit(limit, 10_000_000, 60);
};
