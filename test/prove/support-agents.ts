import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDevFile } from '../../config/dev-file.ts';
import type { Stack } from '../support/stack.ts';
import { configureLifted, openLimits, lifted } from '../support/lifted-limits.ts';

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

/** The connection of a stack whose limits are lifted, for `startText`. */
export const own = { connection: lifted } as const;

/** Lifts the published limits at the service, and for the connection `own`. */
export async function liftLimits(stack: Stack): Promise<void> {
  await openLimits(stack.control);
  await configureLifted(stack.dir, stack.url, readDevFile(stack.state)!.service.keyFiles);
  await stack.worker.stop(0);
  await stack.worker.start(0);
}
