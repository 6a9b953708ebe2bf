import { readdirSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/ports.ts';
import { spawnOwn } from '../../dev/processes.ts';
import { temporaryFolder, until } from './support.ts';

/** Whether a process has a file of this name open. */
const hasOpen = (pid: number, name: string): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`).endsWith(name));
  } catch {
    return false;
  }
};

test.skipIf(process.platform !== 'linux')(
  'a service that is started while the one of a killed supervisor is still ending takes its folder over',
  async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    const start = () => {
      const service = spawnOwn<{ url: string; adminKeys: { maps: string } }>({
        entry: 'service/main',
        args: ['--data', join(folder, 'service'), '--port', String(port), '--json', '--embedding', 'lexical'],
        log: join(folder, 'log'),
        quiet: true,
      });
      onTestFinished(() => void service.kill());
      return service;
    };
    const orphan = start();
    const { url, adminKeys } = await orphan.ready;
    // A request that is under way: the service ends after it.
    const body = JSON.stringify({ project_name: 'last' });
    const headers = { authorization: `Bearer ${adminKeys.maps}`, 'content-type': 'application/json', 'content-length': body.length };
    const last = request(`${url}/v1/project/create`, { method: 'POST', headers });
    last.on('error', () => undefined);
    await new Promise((resolve) => last.write(body.slice(0, 5), resolve));

    const next = start();
    let over = false;
    void next.exited.then(() => (over = true));
    await until(() => over || hasOpen(next.pid, 'lock.sqlite'), 'the next one asks for the folder');
    // As when its supervisor dies: the channel closes, and the service ends in order.
    orphan.release();
    last.end(body.slice(5));
    expect((await next.ready).url).toBe(url);
    expect(await orphan.exited).toMatchObject({ signal: null });
  },
);
