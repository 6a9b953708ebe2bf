import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import { findSecret } from '../support/bytes.ts';
import type { Protection } from '../../activities/frame/protection.ts';
import { createWorld, newSlug, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';

const { History } = proto.temporal.api.history.v1;

/** Makes a key; the second time its answer comes late, the third time it fails after the key was kept. */
const pipeline = `
name: keys
params: { organization: { type: string }, key: { type: string }, secret: { type: string } }
steps:
  make:
    use: api.call
    with:
      operation: maps.keys.create
      input: { organization_id: "\${{ params.organization }}", key_name: "\${{ params.key }}" }
      secret: "\${{ params.secret }}"
  list:
    use: api.call
    needs: [make]
    with: { operation: maps.keys.list, input: { organization_id: "\${{ params.organization }}" } }
outputs: { key: "\${{ steps.make.result.key }}", shown: "\${{ steps.make.result }}" }
`;

type Place = { place: string; bytes: Uint8Array };

/** Everything that a run, its service and Temporal have written, but for the folder of secrets. */
async function places(world: World, run: string, said: string): Promise<Place[]> {
  const found: Place[] = [{ place: 'command line', bytes: Buffer.from(said) }];
  for (const history of await world.histories(run)) found.push({ place: 'history', bytes: History.encode(history).finish() });
  const view = await world.portolan(['status', run, '--json']);
  found.push({ place: 'view', bytes: Buffer.from(view.out + view.err) });
  const why = await world.portolan(['why', run]);
  found.push({ place: 'why', bytes: Buffer.from(why.out + why.err) });
  await world.portolan(['report', run]);
  for (const path of await filesBelow(world.dir))
    if (!path.startsWith(join(world.state, 'secrets')))
      found.push({ place: path.slice(world.dir.length + 1), bytes: await readFile(path) });
  return found;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const leaks = (found: readonly Place[], secret: string): string[] =>
  found.filter(({ bytes }) => findSecret(bytes, secret).length > 0).map(({ place }) => place);

/** One key made by a pipeline, with or without trouble on the way: where it stands. */
async function round(world: World, name: string, trouble?: Parameters<World['control']['fault']>[2]) {
  const organization = (await world.api.user.get({})).organizations[0]!.organization_id;
  if (trouble) await world.control.fault('maps.keys.create', 1, trouble);
  const { result, out, err } = await world.run(pipeline, { organization, key: newSlug(name), secret: name });
  return { result, found: await places(world, result.run, out + err) };
}

const without = (protection: keyof Protection): readonly (keyof Protection)[] => [protection];

export const proof: Proof = {
  name: 'secret-canaries',
  sets: ['short', 'floor'],
  what: 'a key that an answer holds is in its file, readable to its owner only, and in no history, store, report, log or database',
  async run({ rounds }) {
    await using bundle = await createBundle();
    const lines: Line[] = [];
    await using world = await createWorld({ bundle: bundle.path });
    for (let at = 0; at < rounds; at++) {
      const cases = [
        ['quiet', undefined],
        ['limited', { status: 429, retryAfter: 1 }],
        ['slow', { slow: { bytesPerSecond: 200 } }],
      ] as const;
      for (const [name, trouble] of cases) {
        const secret = `${name}-${at}`;
        const { result, found } = await round(world, secret, trouble);
        const file = join(world.state, 'secrets', secret);
        const value = (await readFile(file, 'utf8')).trim();
        const mode = ((await stat(file)).mode & 0o777).toString(8);
        const works = await fetch(`${world.url}/v1/user/`, { headers: { authorization: `Bearer ${value}` } });
        const where = leaks(found, value);
        lines.push(
          line(
            `a key made ${name}: ${found.length} places searched`,
            `in its file (mode ${mode}), works: ${works.status}, result ${String(result.outputs['key'])}, elsewhere ${where.length}${where.length > 0 ? `: ${where.join(', ')}` : ''}`,
            'mode 600, 200, a reference, elsewhere 0',
            mode === '600' && works.status === 200 && result.outputs['key'] === `secret:${secret}` && where.length === 0,
          ),
        );
      }
    }
    await world.worker.stop();
    await world.worker.start(0, { without: without('secrets') });
    const { result, found } = await round(world, 'open');
    const where = leaks(found, String(result.outputs['key']));
    lines.push(
      line(
        'control: the protection off',
        `found in ${where.length} places: ${where.slice(0, 6).join(', ')}`,
        'history and run store among them',
        where.includes('history') && where.some((place) => place.includes('runs/')),
      ),
    );
    return lines;
  },
};
