import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { portolan } from './support.ts';

const service = (name: string): string => `${name}: { url: 'https://${name}.example.com', secret: { env: 'KEY' } }`;
const config = `export default { connections: { both: { ${service('maps')}, ${service('instance')} }, half: { ${service('maps')} } } };\n`;

const file = (connection: string, operation: string): string =>
  `name: users\n${connection}steps:\n  health: { use: api.call, with: { operation: maps.health.get } }\n  users: { use: api.call, with: { operation: ${operation} } }\n`;

test('a connection that a file names and that lacks a service of one of its steps is found in its line, before any service is reached', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-services-'));
  try {
    await writeFile(join(cwd, 'portolan.config.mts'), config);
    await writeFile(join(cwd, 'wrong.yaml'), file('connection: half\n', 'instance.users.list'));
    await writeFile(join(cwd, 'both.yaml'), file('connection: both\n', 'instance.users.list'));
    await writeFile(join(cwd, 'local.yaml'), file('connection: local\n', 'instance.users.list'));
    await writeFile(join(cwd, 'maps.yaml'), file('connection: half\n', 'maps.user.get'));
    await writeFile(join(cwd, 'none.yaml'), file('', 'instance.users.list'));
    const { out } = await portolan(['validate', '.', '--json'], { cwd });
    const findings = out.trim().split('\n');
    expect(findings.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        file: 'wrong.yaml',
        code: 'no-service',
        line: 2,
        message: "connection 'half' holds no service 'instance', only maps; steps.users (api.call) calls it",
        remedy: 'name a connection that holds it (both, local), or add it: connections.half.instance: { url, secret }',
      }),
    ]);
    const planned = await portolan(['plan', 'wrong.yaml'], { cwd });
    expect([planned.code, planned.err]).toEqual([
      2,
      expect.stringContaining("wrong.yaml:2:13  no-service  connection 'half' holds no service"),
    ]);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
