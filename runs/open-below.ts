import { runsQuery } from '../workflows/messages.ts';
import { RunProblem } from './errors.ts';
import type { StoredPlace } from './find.ts';

/**
 * Fails while a run of one of its steps goes on, which outlives a run whose workflow was terminated: what that does would be done twice, or
 * after it was taken back. `next`: the command that is to come then.
 */
export async function endedBelow({ client }: StoredPlace, run: string, next: string): Promise<void> {
  const below = client?.workflow.list({ query: `${runsQuery} AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${run}.'` });
  for await (const { workflowId } of below ?? [])
    throw new RunProblem(
      `run ${workflowId}, which run ${run} has begun, has not ended: what it does must be neither done twice nor taken back meanwhile`,
      `wait for it (portolan watch ${workflowId}), or end it (portolan cancel ${workflowId}); then portolan ${next} ${run}`,
    );
}
