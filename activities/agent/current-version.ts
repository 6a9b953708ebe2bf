import { ApiError } from '../../client/errors.ts';
import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import type { StepContext } from '../frame/context.ts';

/**
 * The version of its workflow that all agents of a step are launched with, so that what is released meanwhile makes them no agents of two
 * versions: the one that the file names, else the one that a launch would take now, the released one or, where none is, the latest.
 * Undefined without a workflow, and where only who may edit it can read which one that is: then each launch takes that of its moment.
 */
export async function currentVersion(
  { workflow, version }: Pick<AgentInput, 'workflow' | 'version'>,
  { invoke, signal, store, step }: StepContext,
): Promise<string | undefined> {
  if (workflow === undefined || version !== undefined) return version;
  try {
    const { releasedVersionId, latestVersionId } = await invoke('instance.workflows.get', { workflowId: workflow }, { signal });
    return releasedVersionId ?? latestVersionId ?? undefined;
  } catch (error) {
    if (!(error instanceof ApiError && (error.status === 403 || error.status === 404))) throw error;
    const cause = `which version of workflow ${workflow} is released cannot be read with this key, which may not edit it: each agent runs the one that is released when it is launched; version: VERSION names one for all`;
    await store.event({ step, kind: 'note', cause, operation: 'instance.workflows.get' });
    return undefined;
  }
}
