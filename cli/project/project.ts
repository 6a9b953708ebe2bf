import type { Config } from '../../config/load.ts';
import { loadConfig } from '../../config/load.ts';
import { who } from '../../config/user.ts';
import type { RunPlace } from '../../runs/find.ts';
import type { RunView } from '../../workflows/messages.ts';
import { exit } from '../frame/exit.ts';
import { connectTemporal, type Temporal } from './temporal.ts';
import { connectionSummaries } from './connections.ts';
import type { ConnectionSummary } from '../render/connections.ts';

/** Configuration and cluster of a folder, for verbs about runs. */
export type Project = {
  config: Config;
  temporal: Temporal;
  place: RunPlace;
  connections: ConnectionSummary[];
  /** Web UI page of a run, or how to find it where no UI is known. */
  temporalLink(workflowId: string, runId: string): string;
};

/** Loads the configuration of a folder and connects to its cluster. */
export const openRuns = async ({ cwd }: { cwd: string }): Promise<Project & { close(): Promise<void> }> => {
  const config = await loadConfig(cwd);
  const temporal = await connectTemporal(config);
  return {
    config,
    temporal,
    place: { client: temporal.client, storeRoot: config.store },
    connections: connectionSummaries(config),
    temporalLink: (workflowId, runId) =>
      temporal.uiUrl
        ? `${temporal.uiUrl.replace(/\/$/, '')}/namespaces/${temporal.namespace}/workflows/${encodeURIComponent(workflowId)}/${runId}`
        : `workflow ${workflowId} in namespace ${temporal.namespace} at ${temporal.address}`,
    close: () => temporal.close(),
  };
};

/** Opens the runs of a folder, lets `act` work on them and disconnects. */
export const withRuns = async <T>({ cwd }: { cwd: string }, act: (project: Project) => Promise<T>): Promise<T> => {
  const project = await openRuns({ cwd });
  try {
    return await act(project);
  } finally {
    await project.close();
  }
};

/** Who acts: `--as`, else PORTOLAN_USER, else user@host. */
export const whoIs = ({ options }: { options: { readonly as?: string | undefined } }): string => who(options.as);

/** A failed run whose reads cannot be trusted is inconclusive: neither done nor failed. */
const inconclusive = new Set(['Inconclusive', 'inconclusive']);

/** Exit code for a run's state. */
export const stateCode = ({ state, error }: RunView): number => {
  if (state === 'approval') return exit.approval;
  if (state === 'failed') return error && inconclusive.has(error.type) ? exit.inconclusive : exit.failed;
  return state === 'cancelled' ? exit.failed : exit.done;
};
