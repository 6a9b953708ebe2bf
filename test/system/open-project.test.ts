import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openProject } from '../../index.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const user = 'name: user\nsteps:\n  user: { use: api.call, with: { operation: maps.user.get, input: {} } }\n';

/** A project of its own beside the world's, with one connection to a service that gives these statuses; 0: the connection is cut. */
async function projectTo(...statuses: number[]) {
  let asked = 0;
  const server = createServer((_, response) => {
    const status = statuses[Math.min(asked++, statuses.length - 1)]!;
    if (status === 0) response.destroy();
    else response.writeHead(status, { 'content-type': 'application/json' }).end('{"detail":"no"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['OPENED_KEY'] = 'nk-opened';
  const dir = join(world.dir, `opened-${statuses.join('-')}`);
  await mkdir(dir, { recursive: true });
  const config = { temporal: { address: inject('temporal') }, connections: { prod: { maps: { url, secret: { env: 'OPENED_KEY' } } } } };
  await world.write(join(`opened-${statuses.join('-')}`, 'portolan.config.mts'), `export default ${JSON.stringify(config)};`);
  const project = await openProject({ cwd: dir });
  onTestFinished(async () => {
    await project.close();
    server.closeAllConnections();
    server.close();
  });
  return project;
}

test('a program that starts a run with a wrong key hears of it before anything starts', async () => {
  const project = await projectTo(401);
  await expect(project.start(await world.pipeline(user), {}, { connection: 'prod' })).rejects.toThrow("connection 'prod'");
});

test('a service that was away is asked again at the next start, one that was there is not', async () => {
  const project = await projectTo(0, 0, 0, 403, 401);
  const file = await world.pipeline(user);
  const start = () => project.start(file, {}, { connection: 'prod' });
  await expect(start()).rejects.toThrow("connection 'prod'");
  for (const { run, workflowId } of [await start(), await start()]) {
    expect(run).toMatch(/^user-/);
    // Nobody works on the runs of this project.
    await world.client.workflow.getHandle(workflowId).terminate();
  }
});

test('a program gets the values of large outputs', async () => {
  await using project = await openProject({ cwd: world.dir });
  const text = 'nemo '.repeat(2_000).trim();
  const file = await world.pipeline(
    'name: large\nparams: { text: { type: string } }\nsteps:\n  user: { use: api.call, with: { operation: maps.user.get, input: {} } }\noutputs: { text: "${{ params.text }}" }\n',
  );
  const { run } = await project.start(file, { text }, { connection: 'local' });
  expect((await project.ended(run)).outputs).toEqual({ text });
});

test('a program gives up its wait for a run that does not end, also between two questions to the server', async () => {
  const project = await projectTo(200);
  const { run, workflowId } = await project.start(await world.pipeline(user), {}, { connection: 'prod' });
  const wait = (signal: AbortSignal) => expect(project.ended(run, { signal })).rejects.toMatchObject({ name: 'AbortError' });
  const later = new AbortController();
  const waits = [wait(AbortSignal.abort()), wait(later.signal)];
  later.abort();
  // One that has not been given up sees the end.
  await world.client.workflow.getHandle(workflowId).terminate();
  await Promise.all(waits);
});
