import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './launch.ts';
import type { EngineParts } from './parts.ts';
import type { Queue } from './queue.ts';
import { change, familyOf, wakeParent, type AgentRow } from './records.ts';

/** The longest time that a deletion waits for what is under way (instance text). */
const releaseMs = 10_000;

/** Marks an agent with its sub-agents as deleted, and removes what they said; artifacts stay. */
const markDeleted = ({ records, host, clock }: EngineParts, agent: AgentRow, { requestId }: Caller): AgentRow[] =>
  records.effect({ requestId, operation: 'instance.agents.remove', subject: `agent/${agent.id}`, content: {} }, () => {
    const all = familyOf(records, agent.id);
    let changed = 0;
    const files = all.flatMap(({ id }) => records.all<{ file_id: string }>('SELECT file_id FROM agent_files WHERE agent_id = ?', id));
    for (const { id } of all) {
      records.run('DELETE FROM agent_messages WHERE agent_id = ?', id);
      records.run('UPDATE artifacts SET agent_id = NULL WHERE agent_id = ?', id);
      records.run('DELETE FROM agent_files WHERE agent_id = ?', id);
      changed += change(records, id, { due_at: null, stopping: 0 });
      // The row stays: lists go on behind it, and what it has cost was spent.
      records.run('UPDATE agents SET deleted_at = updated_at WHERE id = ?', id);
    }
    wakeParent(records, agent, clock.now());
    host.orphan([...new Set(files.map(({ file_id }) => file_id))]);
    return { changed, value: all };
  });

/**
 * Deletes an agent, then waits for what is under way of it and of its sub-agents to let go. The mark comes first and in one piece, so that
 * no step begins any more, and a kill in between leaves nothing half deleted; what lets go later than that finds itself given up.
 */
export async function removeAgent(parts: EngineParts, queue: Queue, agent: AgentRow, caller: Caller): Promise<void> {
  const all = markDeleted(parts, agent, caller);
  const waited = new AbortController();
  const released = Promise.all(all.map(({ id }) => queue.abort(id)));
  queue.wake();
  await Promise.race([released, sleep(releaseMs, undefined, { signal: waited.signal, ref: false }).catch(() => undefined)]);
  waited.abort();
}
