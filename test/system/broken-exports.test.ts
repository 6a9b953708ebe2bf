import { request } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDevFile } from '../../config/dev-file.ts';
import { readResults } from '../../store/results.ts';
import { serve } from '../support/serve.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** The service behind a gateway that breaks off the first answers with a file, in the middle: how often a file was asked for. */
async function breakingOff(to: string, times: number) {
  const asked: string[] = [];
  const gateway = await serve((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const isFile = url!.startsWith('/exports/');
    if (isFile) asked.push(url!);
    const breaks = isFile && asked.length <= times;
    // The Host stays: addresses that the service hands out lead through this gateway.
    const onward = request(new URL(url!, to), { method: method!, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      if (!breaks) return void answer.pipe(outgoing);
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const body = Buffer.concat(parts);
        outgoing.write(body.subarray(0, body.byteLength >> 1), () => outgoing.destroy());
      });
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return Object.assign(gateway, { asked });
}

test('an export of an agent that breaks off in the middle is asked for again, and its file is whole', async () => {
  await world.control.agents({ pace: { from: 0, to: 0 } });
  await using gateway = await breakingOff(world.url, 2);
  const secret = { file: readDevFile(world.state)!.service.keyFiles.instance };
  await world.write(
    'portolan.config.mts',
    `export default ${JSON.stringify({ connections: { gateway: { instance: { url: gateway.url, secret } } } })};`,
  );
  // A worker knows its connections from when it starts.
  await world.worker.stop();
  await world.worker.start();
  await world.write('orders/orders.csv', 'order,status,amount\n1,open,10.5\n2,paid,20\n3,open,4.5\n');
  const text = `
name: broken
steps:
  ask:
    use: agent.run
    with: { documents: '../orders/*', prompt: 'Count the orders by status.', exports: [csv], everySeconds: 0.25 }
outputs: { ask: "\${{ steps.ask }}" }
`;
  const { value, effects } = await world.effectsOf(() => world.run(text, {}, ['--connection', 'gateway']));
  const { result } = value;
  expect([result.state, result.outputs['ask'].statuses]).toEqual(['done', { done: 1 }]);
  expect(effects.filter(({ operation }) => operation === 'instance.agents.launch')).toHaveLength(1);
  // Two that broke off, and the whole one.
  expect(gateway.asked).toHaveLength(3);
  for await (const { folder } of readResults(world.store(result.run), result.outputs['ask'].results as string)) {
    const artifacts = join(folder as string, 'artifacts');
    const [csv, ...more] = (await readdir(artifacts)).filter((name) => name.endsWith('.csv'));
    expect(more).toEqual([]);
    expect(await readFile(join(artifacts, csv!), 'utf8')).toBe('status,count\nopen,2\npaid,1\n');
  }
});
