import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkConnections } from '../../cli/start/check-connections.ts';
import { createPaint } from '../../cli/render/paint.ts';
import { renderLive } from '../../cli/render/live.ts';
import { loadConfig } from '../../config/load.ts';
import { at, snapshotOf, start } from '../runs/support.ts';
import type { PendingActivity } from '../../runs/pending.ts';
import { portolan } from './support.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-remedies-'));
  await mkdir(join(cwd, 'pipelines'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const configured = (url: string, secret: object): Promise<void> =>
  writeFile(join(cwd, 'portolan.config.mts'), `export default ${JSON.stringify({ connections: { here: { maps: { url, secret } } } })};`);

test('a path that is given on the command line is not said to stand in the file', async () => {
  const text = (more: string): string =>
    `name: p\nparams: { source: { type: path${more} } }\nsteps:\n  rows: { use: dataset.append, with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: "\${{ params.source }}", id: { row: true } } }\n`;
  await writeFile(join(cwd, 'pipelines', 'given.yaml'), text(''));
  await writeFile(join(cwd, 'pipelines', 'preset.yaml'), text(', default: gone.csv'));
  const given = await portolan(['plan', 'pipelines/given.yaml', '-c', 'local', '--offline', '-p', 'source=pipelines/gone.csv'], { cwd });
  expect([given.code, given.err]).toEqual([2, expect.stringContaining('a path in --param is relative to the current folder')]);
  const preset = await portolan(['plan', 'pipelines/preset.yaml', '-c', 'local', '--offline'], { cwd });
  expect([preset.code, preset.err]).toEqual([2, expect.stringContaining("a path is relative to the folder of the pipeline's file")]);
});

test('what the configuration is wrong by ends with 2, a service that is away with 1', async () => {
  const closed = createServer((_, response) => response.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"no"}'));
  closed.listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  await writeFile(join(cwd, 'key'), 'nk-wrong\n', { mode: 0o600 });
  const checked = async (secret: object): Promise<void> => {
    await configured(url, secret);
    await checkConnections(await loadConfig(cwd), [{ maps: 'here' }]);
  };
  try {
    await expect(checked({ file: 'key' })).rejects.toMatchObject({ code: 2 });
    await expect(checked({ file: 'none' })).rejects.toMatchObject({ code: 2 });
  } finally {
    closed.close();
    closed.closeAllConnections();
  }
  await expect(checked({ file: 'key' })).rejects.toMatchObject({ code: 1 });
});

test('a call to a service that is away says how often it is sent again, and where to look at last', async () => {
  await writeFile(join(cwd, 'key'), 'nk-here\n', { mode: 0o600 });
  await configured('http://127.0.0.1:9', { file: 'key' });
  const { code, err } = await portolan(['call', 'maps.user.get', '--connection', 'here'], { cwd });
  expect(code).toBe(1);
  expect(err.match(/\d times? more at most/g)).toEqual([5, 4, 3, 2, 1].map((left) => `${left} time${left > 1 ? 's' : ''} more at most`));
  expect(err).toContain('is the service up? portolan doctor shows it');
});

test('status says the reason of a retry to its end, however narrow the terminal', () => {
  const pending: PendingActivity[] = [
    {
      id: 'map/check',
      attempt: 2,
      step: 'map',
      type: 'index.build/check',
      waiting: true,
      nextAt: at(28_000),
      lastFailure: { type: 'NetworkError', message: `${'maps.indices.progress: '.repeat(5)}cannot be reached` },
    },
  ];
  const options = { rates: {}, now: start, columns: 60, paint: createPaint(false), connections: 'maps: local' };
  const snapshot = snapshotOf({}, pending);
  expect(renderLive(snapshot, options).at(-1)).not.toContain('cannot be reached');
  expect(renderLive(snapshot, { ...options, whole: true }).at(-1)).toContain('cannot be reached');
});
