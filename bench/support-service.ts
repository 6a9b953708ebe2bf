import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceReady } from '../service/app.ts';

type Ready = Pick<ServiceReady, 'url' | 'adminKeys'>;

/** The local service as a process of its own on a new data directory, without the product's client. */
export async function startService() {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-bench-'));
  const child = fork(new URL('../service/main.ts', import.meta.url), ['--data', folder, '--json', '--control', '--embedding', 'lexical'], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const [{ url, adminKeys }] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the service ended with ${code} before it was ready`))),
  ])) as [Ready];

  const call = async <T>(path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${adminKeys.maps}` },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  return {
    url,
    adminKeys,
    pid: child.pid!,
    folder,
    call,
    /** A dataset of the caller's organization. */
    async dataset(name: string): Promise<string> {
      const { organizations } = await call<{ organizations: { organization_id: string }[] }>('/v1/user/');
      const { project_id } = await call<{ project_id: string }>('/v1/project/create', {
        organization_id: organizations[0]!.organization_id,
        project_name: name,
        unique_id_field: 'id',
      });
      return project_id;
    },
    /** Builds an index and waits for it; the ids of the map and of the index. */
    async index(project_id: string, order: object): Promise<{ map: string; index: string }> {
      const { job_id, projection_id } = await call<{ job_id: string; projection_id: string }>('/v1/project/index/create', {
        project_id,
        index_name: 'map',
        indexed_field: null,
        model: null,
        nearest_neighbor_index: null,
        projection: null,
        ...order,
      });
      const { index_id } = await call<{ index_id: string }>(`/v1/project/index/job/${job_id}`);
      for (;;) {
        const { index_build_stage: stage } = await call<{ index_build_stage: string }>(`/v1/project/index/job/progress/${index_id}`);
        if (stage === 'Completed') return { map: projection_id, index: index_id };
        if (stage === 'Failed') throw new Error('the index could not be built');
        await sleep(50);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
