import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './launch.ts';
import type { EngineParts } from './parts.ts';
import type { Queue } from './queue.ts';
import { change, familyOf, type AgentRow } from './records.ts';

/** The longest time that a deletion waits for what is under way (instance text). */
const releaseMs = 10_000;

/** Deletes an agent with its sub-agents and what they said; artifacts stay. What does not let go within ten seconds is cut off. */
export async function removeAgent({ records, host }: EngineParts, queue: Queue, agent: AgentRow, { requestId }: Caller): Promise<void> {
  const all = familyOf(records, agent.id);
  for (const { id } of all) records.run('UPDATE agents SET due_at = NULL, stopping = 0 WHERE id = ?', id);
  const waited = new AbortController();
  await Promise.race([
    Promise.all(all.map(({ id }) => queue.abort(id))),
    sleep(releaseMs, undefined, { signal: waited.signal, ref: false }).catch(() => undefined),
  ]);
  waited.abort();
  records.effect({ requestId, operation: 'instance.agents.remove', subject: `agent/${agent.id}`, content: {} }, () => {
    let changed = 0;
    const files = all.flatMap(({ id }) => records.all<{ file_id: string }>('SELECT file_id FROM agent_files WHERE agent_id = ?', id));
    for (const { id } of all) {
      records.run('DELETE FROM agent_messages WHERE agent_id = ?', id);
      records.run('UPDATE artifacts SET agent_id = NULL WHERE agent_id = ?', id);
      records.run('DELETE FROM agent_files WHERE agent_id = ?', id);
      changed += change(records, id, { due_at: null });
      // The row stays: lists go on behind it, and what it has cost was spent.
      records.run('UPDATE agents SET deleted_at = updated_at WHERE id = ?', id);
    }
    host.orphan([...new Set(files.map(({ file_id }) => file_id))]);
    return { changed, value: undefined };
  });
}
