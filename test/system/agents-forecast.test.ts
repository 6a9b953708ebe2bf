import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentsPipeline } from './support-agent-runs.ts';
import { useWorld } from './support.ts';

const world = useWorld();

test('plan says why nobody knows what agents will cost: none has run, none was asked for, or the service could not be read', async () => {
  const items = await world.write('planned.csv', 'id,text\n1,One.\n2,Two.\n');
  const planned = async (...options: string[]) => {
    const file = await world.pipeline(agentsPipeline(items, { prompt: 'Count: {{text}}', cap: { item: 0.5 } }));
    const { out } = await world.portolan(['plan', file, '--json', ...options]);
    return (JSON.parse(out) as { steps: { cost: unknown }[] }).steps[0]!.cost;
  };
  const byCaps = (why: unknown) => ({ min: 0, max: 1, because: why });
  expect(await planned('--connection', 'local')).toEqual(byCaps('by the caps: no agent of this kind has run before'));
  expect(await planned('--connection', 'local', '--offline')).toEqual(
    byCaps('by the caps: nobody has asked what agents of this kind cost'),
  );

  const key = await world.write('wrong.key', 'npk_unknown\n');
  const connections = { wrong: { instance: { url: world.url, secret: { file: key } } } };
  await writeFile(join(world.dir, 'portolan.config.mts'), `export default ${JSON.stringify({ connections })};\n`);
  const notRead = 'by the caps: what agents of this kind have cost could not be read';
  const because = (what: string) => byCaps(expect.stringMatching(new RegExp(`^${notRead}: ${what}`)));
  await chmod(key, 0o644);
  expect(await planned('--connection', 'wrong')).toEqual(because('.* may be read or written by other users .*; chmod 600 '));
  await chmod(key, 0o600);
  expect(await planned('--connection', 'wrong')).toEqual(because('.*401.*; '));
});
