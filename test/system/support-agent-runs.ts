import { readResults } from '../../store/results.ts';
import type { World } from '../support/world.ts';

/** A pipeline of one `agent.run`, of which `more` says the rest. */
export const agentsPipeline = (items: string, more: object = {}): string => `
name: agents
steps:
  ask:
    use: agent.run
    tolerate: { capped: 100% }
    with: ${JSON.stringify({ items, key: 'id', prompt: 'Extract the emails of this note: {{text}}', everySeconds: 0.25, ...more })}
outputs: { ask: "\${{ steps.ask }}" }
`;

/** The rows of a table of results. */
export async function rowsIn(world: World, run: string, results: string): Promise<Record<string, any>[]> {
  const rows: Record<string, any>[] = [];
  for await (const row of readResults(world.store(run), results)) rows.push(row);
  return rows;
}

export const countOf = (effects: readonly { operation: string }[], operation: string): number =>
  effects.filter((each) => each.operation === operation).length;
