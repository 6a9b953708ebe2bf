import { ConfigError } from '../../config/config-error.ts';
import type { Config } from '../../config/load.ts';
import { loadConfig } from '../../config/load.ts';
import { temporalPage } from '../../config/temporal-page.ts';
import { who } from '../../config/user.ts';
import { storedRuns, type RunPlace, type StoredPlace } from '../../runs/find.ts';
import type { RunView } from '../../workflows/messages.ts';
import { CommandError } from '../frame/errors.ts';
import { exit, type ExitCode } from '../frame/exit.ts';
import type { Terminal } from '../frame/terminal.ts';
import type { VerbOption } from '../frame/verb.ts';
import { connectTemporal, type Temporal } from './temporal.ts';
import { connectionSummaries } from './connections.ts';
import type { ConnectionSummary } from '../render/connections.ts';

/** Configuration and run store of a folder, for verbs that read what runs left; the cluster where it is there. */
export type StoredProject = {
  config: Config;
  place: StoredPlace;
  connections: ConnectionSummary[];
  /** Web UI page of a run, or how to find it where no UI is known. */
  temporalLink(workflowId: string, runId: string): string;
};

/** Configuration and cluster of a folder, for verbs about runs. */
export type Project = StoredProject & { temporal: Temporal; place: RunPlace };

const projectOf = (config: Config, temporal: Temporal): Project => ({
  config,
  temporal,
  place: { client: temporal.client, storeRoot: config.store },
  connections: connectionSummaries(config),
  temporalLink: (workflowId, runId) =>
    temporalPage(temporal, { id: workflowId, runId }) ?? `workflow ${workflowId} in namespace ${temporal.namespace} at ${temporal.address}`,
});

/** Loads the configuration of a folder and connects to its cluster. */
export const openRuns = async ({
  cwd,
  terminal,
  signal,
}: {
  cwd: string;
  terminal?: Terminal;
  signal?: AbortSignal;
}): Promise<Project & { close(): Promise<void> }> => {
  const config = await loadConfig(cwd);
  const temporal = await connectTemporal(config, { report: (line) => terminal?.err(line), signal });
  return { ...projectOf(config, temporal), close: () => temporal.close() };
};

/** `signal` ends the wait for a server. */
type Opening = { cwd: string; terminal: Terminal; signal?: AbortSignal };

/** Opens the runs of a folder, lets `act` work on them and disconnects. */
export const withRuns = async <T>(context: Opening, act: (project: Project) => Promise<T>): Promise<T> => {
  const project = await openRuns(context);
  try {
    return await act(project);
  } finally {
    await project.close();
  }
};

/** The same for what can be read without a cluster: where none answers, it is said, and the run store is all there is. */
export const withStoredRuns = async <T>({ cwd, terminal, signal }: Opening, act: (project: StoredProject) => Promise<T>): Promise<T> => {
  const config = await loadConfig(cwd);
  const temporal = await connectTemporal(config, { report: (line) => terminal.err(line), signal }).catch(async (error: unknown) => {
    if (!(error instanceof CommandError || error instanceof ConfigError) || (await storedRuns(config.store).catch(() => [])).length === 0)
      throw error;
    terminal.err(`${error.message}: what is shown is from the run store\n`);
    return undefined;
  });
  if (!temporal)
    return act({
      config,
      place: { storeRoot: config.store },
      connections: connectionSummaries(config),
      temporalLink: (workflowId) => `workflow ${workflowId}`,
    });
  try {
    return await act(projectOf(config, temporal));
  } finally {
    await temporal.close();
  }
};

/** Options of what a person does to a run. */
export const actOptions = {
  note: { type: 'string', value: 'TEXT', description: 'Why; kept and shown.' },
  as: { type: 'string', value: 'NAME', description: 'Who does it (default PORTOLAN_USER, else user@host).' },
} as const satisfies Record<string, VerbOption>;

/** Who acts: `--as`, else PORTOLAN_USER, else user@host. */
export const whoIs = ({ options }: { options: { readonly as?: string | undefined } }): string => who(options.as);

/** Failures that a script distinguishes from others: reads that cannot be trusted, and what nobody has approved. */
const failureCodes = new Map<string, ExitCode>([
  ['Inconclusive', exit.inconclusive],
  ['inconclusive', exit.inconclusive],
  ['NeedsApproval', exit.approval],
]);

/** Exit code for a run's state. */
export const stateCode = ({ state, error }: RunView): number => {
  if (state === 'approval') return exit.approval;
  if (state === 'failed') return failureCodes.get(error?.type ?? '') ?? exit.failed;
  return state === 'cancelled' || state === 'refused' ? exit.failed : exit.done;
};
