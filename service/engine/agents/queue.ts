import { HttpError } from '../../core/errors.ts';
import { agentOf, type AgentRow } from './records.ts';
import type { EngineParts } from './parts.ts';
import { endTurn, step } from './round.ts';

/** Steps under way at once. */
const atOnce = 4;

/** A clock that is set, or a machine that slept, is noticed after so long. */
const longestWaitMs = 30_000;

type UnderWay = { controller: AbortController; ended: Promise<void> };

export type Queue = {
  /** Looks which agents are due: after every change of one, and when the clock was moved. */
  wake(): void;
  /** Gives up the step of an agent that is under way; settles when it has let go. */
  abort(agentId: string): Promise<void>;
  /** Begins no further step and gives up what is under way: the next process goes on. */
  close(): Promise<void>;
};

/** Steps of all agents, in the order in which they are due. */
export const createQueue = (parts: EngineParts): Queue => {
  const { records, clock } = parts;
  const underWay = new Map<string, UnderWay>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const begin = (agent: AgentRow): void => {
    const controller = new AbortController();
    const run = async (): Promise<void> => {
      try {
        await step(parts, agent, controller.signal);
      } catch (error) {
        if (controller.signal.aborted) return;
        if (error instanceof HttpError) return endTurn(parts, agent, { status: 'failed', error: error.message });
        process.stderr.write(`agent ${agent.id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
        endTurn(parts, agent, { status: 'failed', error: 'internal error; see the log of the service' });
      }
    };
    const ended = run().finally(() => {
      underWay.delete(agent.id);
      // What was asked of it meanwhile: its own changes may have put it off.
      if (!closed && agentOf(records, agent.id)?.stopping) records.run('UPDATE agents SET due_at = 0 WHERE id = ?', agent.id);
      wake();
    });
    underWay.set(agent.id, { controller, ended });
  };

  const wake = (): void => {
    clearTimeout(timer);
    if (closed) return;
    const rows = records.all<AgentRow>(
      'SELECT * FROM agents WHERE due_at IS NOT NULL AND deleted_at IS NULL ORDER BY due_at, seq LIMIT ?',
      atOnce + underWay.size,
    );
    for (const agent of rows.filter(({ id }) => !underWay.has(id))) {
      if (underWay.size >= atOnce) return;
      const waitMs = agent.due_at! - clock.now();
      if (waitMs > 0) {
        timer = setTimeout(wake, Math.min(Math.ceil(waitMs), longestWaitMs));
        timer.unref();
        return;
      }
      begin(agent);
    }
  };

  clock.onMove(wake);
  return {
    wake,
    async abort(agentId) {
      const step = underWay.get(agentId);
      step?.controller.abort(new Error('the agent is stopped'));
      await step?.ended;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      for (const { controller } of underWay.values()) controller.abort(new Error('the service ends'));
      await Promise.all([...underWay.values()].map(({ ended }) => ended));
    },
  };
};
