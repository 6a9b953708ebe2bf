import { configuredCluster } from '../../config/temporal.ts';
import type { Config } from '../../config/load.ts';
import type { DevFile } from '../../config/dev-file.ts';
import { DevError } from '../dev-error.ts';
import { findTemporal } from './binary.ts';
import type { TemporalSource } from './binary.ts';
import { startTemporal } from './server.ts';
import type { TemporalServer } from './server.ts';
import { keepRunning } from '../kept.ts';
import type { Kept } from '../kept.ts';
import { askedPort } from '../dev-file.ts';
import type { Ports } from '../dev-file.ts';

/** What `--temporal-source` may name: the configured cluster, or a rung of the ladder. */
export type AnyTemporalSource = 'cluster' | TemporalSource;

export type DevTemporal = {
  /** For `dev.json`, as it is now. */
  entry(): DevFile['temporal'];
  /** The server under its keeper; absent for a cluster. */
  kept?: Kept<TemporalServer>;
};

/** Port of an address or URL. */
export const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1).replace(/\/.*/, ''));

/** Ports of a server, to be asked for again. */
export const portsOf = ({ address, uiUrl, source }: { address: string; uiUrl?: string; source?: string }): Ports =>
  source === 'cluster' ? {} : { temporal: portOf(address), ...(uiUrl && { ui: portOf(uiUrl) }) };

export type DevTemporalOptions = {
  config: Config;
  /** Those of the last start. */
  former: Ports;
  /** Those that a person named. */
  named: Ports;
  source?: AnyTemporalSource | undefined;
  report: (line: string) => void;
  onStart: () => void;
};

/** The configured cluster, else a dev server of this folder, started and kept running on its ports. */
export const startDevTemporal = async ({ config, former, named, source, report, onStart }: DevTemporalOptions): Promise<DevTemporal> => {
  const cluster = source === undefined || source === 'cluster' ? configuredCluster(config) : undefined;
  if (cluster !== undefined) {
    const { address, namespace } = cluster;
    report(`Temporal server: configured cluster ${address}, namespace ${namespace} (${cluster.source})`);
    return { entry: () => ({ address, namespace, source: 'cluster', forced: false }) };
  }
  if (source === 'cluster')
    throw new DevError('no cluster is configured', 'name one: TEMPORAL_ADDRESS, temporal.toml, or `temporal` in portolan.config.mts');
  if (source === undefined) report('Temporal server: no cluster is configured');
  const binary = await findTemporal({ dir: config.dir, ...(source && { source }), report });
  let last: TemporalServer | undefined;
  const kept = await keepRunning({
    name: 'Temporal server',
    report,
    onStart,
    start: async () => {
      const kept = last === undefined ? former : portsOf(last);
      const port = askedPort('temporal', named, kept);
      const uiPort = askedPort('ui', named, kept);
      const server = await startTemporal({
        dir: config.dir,
        binary: binary.path,
        afterOwn: last !== undefined,
        ...(port && { port }),
        ...(uiPort && { uiPort }),
      });
      last = server;
      return server;
    },
  });
  return {
    kept,
    entry: () => {
      if (last === undefined) throw new Error('the Temporal server was never started');
      const { address, uiUrl, serverPid } = last;
      return {
        address,
        namespace: 'default',
        ...(uiUrl && { uiUrl }),
        source: binary.source,
        forced: source !== undefined,
        pid: serverPid,
      };
    },
  };
};
