import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EmbedderOptions } from '../../service/engine/embedding/provider.ts';
import { createApi } from './world.ts';
import type { Api } from './world.ts';
import type { ServiceReady } from '../../service/app.ts';

const here = fileURLToPath(new URL('../..', import.meta.url));

export type Running = {
  api: Api;
  ready: ServiceReady;
  organization: { organization_id: string; slug: string };
  /** kill -9; settles when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; the exit code. */
  term(): Promise<number | null>;
  /** Closes the channel to its parent; settles when the process is gone. */
  disconnect(): Promise<void>;
};

/**
 * The service as a process of its own on a data directory, with its control plane; with `embedding`, vectors come from there; of the
 * sources in `root`.
 */
export const startService = async (dataDir: string, embedding?: EmbedderOptions, root = here): Promise<Running> => {
  const [entry, args] = embedding
    ? [join(root, 'test/service/service-process.ts'), [JSON.stringify({ dataDir, embedding })]]
    : [join(root, 'service/main.ts'), ['--data', dataDir, '--json', '--control', '--embedding', 'lexical']];
  const child = fork(entry, args, { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const ready = await Promise.race([
    once(child, 'message').then(([message]) => message as Running['ready']),
    ended.then(([code]) => Promise.reject(new Error(`the service ended with ${code} before it was ready`))),
  ]);
  const api = createApi(fetch, ready.url, ready.adminKeys.maps);
  const end = async (act: () => void): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) act();
    return (await ended)[0] as number | null;
  };
  return {
    api,
    ready,
    organization: (await api.get('/v1/user')).body.organizations[0],
    kill: async () => void (await end(() => child.kill('SIGKILL'))),
    term: () => end(() => child.kill('SIGTERM')),
    disconnect: async () => void (await end(() => child.disconnect())),
  };
};
