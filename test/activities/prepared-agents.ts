import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { Counts } from '../../pipelines/phases.ts';
import { agentInput } from '../../pipelines/steps/agent/input.ts';
import type { StepWorld } from './step-world.ts';

/** A prepared step of agents with one chunk, and its attempts by their numbers. */
export async function preparedAgents(run: ReturnType<StepWorld['newRun']>, id: string, input: object) {
  const args = run.argsOf('agent.run', agentInput.parse({ key: 'id', prompt: '{{text}}', everySeconds: 0.25, ...input }), { id });
  const { state } = await run.attempt('agent.run', 'prepare', args);
  const attempt = (number: number): Promise<Counts> => run.attempt('agent.run', 'main', { ...args, state, chunk: 0 }, number);
  return {
    attempt,
    /** Attempts from a number on, as the server makes them, until one returns. */
    async toItsEnd(from: number): Promise<Counts> {
      for (let number = from; ; number++)
        try {
          return await attempt(number);
        } catch (error) {
          if (!(error instanceof ApplicationFailure) || error.nonRetryable) throw error;
          await sleep(Number(error.nextRetryDelay ?? 0));
        }
    },
  };
}
