import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createApi } from './world.ts';
import type { Api } from './world.ts';

const entry = new URL('../../service/main.ts', import.meta.url);

export type Running = {
  api: Api;
  ready: { url: string; adminKey: string; pid: number };
  organization: { organization_id: string; slug: string };
  /** kill -9; settles when the process is gone. */
  kill(): Promise<void>;
};

/** The service as a process of its own on a data directory, with its control plane. */
export const startService = async (dataDir: string): Promise<Running> => {
  const child = fork(entry, ['--data', dataDir, '--json', '--control', '--embedding', 'lexical'], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const ready = await Promise.race([
    once(child, 'message').then(([message]) => message as Running['ready']),
    ended.then(([code]) => Promise.reject(new Error(`the service ended with ${code} before it was ready`))),
  ]);
  const api = createApi(fetch, ready.url, ready.adminKey);
  return {
    api,
    ready,
    organization: (await api.get('/v1/user')).body.organizations[0],
    async kill() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
};
