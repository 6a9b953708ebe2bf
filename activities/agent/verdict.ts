import { ApiError, NetworkError } from '../../client/errors.ts';
import { isWait } from '../../client/wait.ts';
import { Inconclusive, Unavailable, Undecided } from '../../errors/classes.ts';
import { GivenAway } from '../frame/fence.ts';

/**
 * What a call that failed means for the agents of a chunk. `stop`: nothing more can be asked now; `closed`: nothing more can be launched
 * or prompted now, what is under way goes on; `spent`: the budget is spent. Of its item alone: `unknown`, `again`, `failed`.
 */
export type Verdict = 'stop' | 'closed' | 'spent' | 'unknown' | 'again' | 'failed';

/** What begins or goes on with an agent: their limits are closed apart from that of reading. */
const prompts: ReadonlySet<string | undefined> = new Set(['instance.agents.launch', 'instance.agents.followup', 'instance.files.upload']);

export function verdictOf(error: unknown): Verdict {
  if (error instanceof GivenAway || error instanceof Unavailable) return 'stop';
  if (isWait(error)) return prompts.has(error.operation) ? 'closed' : 'stop';
  if (error instanceof ApiError && error.code === 'spend_limit_reached') return 'spent';
  if (error instanceof Undecided || error instanceof Inconclusive) return 'unknown';
  if (error instanceof NetworkError || (error instanceof Error && 'retryable' in error && error.retryable === true)) return 'again';
  return 'failed';
}
