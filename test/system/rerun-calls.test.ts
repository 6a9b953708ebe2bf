import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const create = (name: string, needs = ''): string =>
  `{ use: api.call, ${needs}with: { operation: maps.projects.create, input: { organization_id: "\${{ steps.user.result.default_organization }}", project_name: "${name}" } } }`;
const head = (name: string): string => `name: ${name}
connection: local
steps:
  user: { use: api.call, with: { operation: maps.user.get, input: {} } }
`;

/** Effects of a rerun of a run, and how that ends. */
async function rerun(run: string, ...more: string[]): Promise<{ code: number; created: number; text: string }> {
  const { value, effects } = await world.effectsOf(() => world.portolan(['rerun', run, ...more]));
  const created = effects.filter(({ operation, changed }) => operation === 'maps.projects.create' && changed > 0);
  return { code: value.code, created: created.length, text: value.out + value.err };
}

test('a rerun of a loop does not make again what a call of an operation made in a turn', async () => {
  const name = newSlug('turn');
  await world.control.fault('maps.projects.create', 3, { status: 403 });
  const { result } = await world.run(`${head('turns')}  each:
    forEach: { items: [a, b, c], as: n, parallel: 1 }
    steps: { make: ${create(`${name} \${{ n }}`)} }
    outputs: { id: "\${{ steps.make.result.project_id }}" }
outputs: { ids: "\${{ steps.each.rows.map(row, row.id) }}" }
`);
  expect(result).toMatchObject({ state: 'failed', error: { step: 'each' } });
  expect(await rerun(result.run)).toMatchObject({ code: 0, created: 1 });
});

test('what a call of an operation may have made when its run was cancelled is looked up by a rerun, and not made again', async () => {
  const name = newSlug('cancelled');
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'after' });
  const run = await world.start(`${head('cancelled')}  make: ${create(name)}\n`);
  expect(await world.control.held(fault.id)).toBe(true);
  expect((await world.portolan(['cancel', run])).code).toBe(0);
  expect((await world.ended(run)).view.state).toBe('cancelled');
  await world.control.release(fault.id);
  const again = await rerun(run);
  expect([again.code, again.created], again.text).toEqual([0, 0]);
});

test('where the records of the run are gone that may have made it, a person is asked, and what that one says holds', async () => {
  const text = `${head('gone')}  make: ${create(newSlug('gone'), 'needs: [user], ')}\n`;
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'after' });
  const run = await world.start(text);
  expect(await world.control.held(fault.id)).toBe(true);
  await world.portolan(['cancel', run]);
  await world.ended(run);
  await world.control.release(fault.id);
  await world.control.fault('maps.user.get', 1, { status: 403 });
  const failed = await world.portolan(['rerun', run, '--from', 'user', '--no-check', '--json']);
  const last = JSON.parse(failed.out.trim().split('\n').at(-1)!) as { run: string; error: { step: string } };
  expect(last.error.step).toBe('user');
  await rm(world.store(run).path(), { recursive: true });
  const asked = await rerun(last.run);
  expect([asked.created, asked.text]).toEqual([0, expect.stringMatching(/run gone-\S+ may have done make, .*--fate make=again/)]);
  expect(await rerun(last.run, '--fate', 'make=again')).toMatchObject({ code: 0, created: 1 });
});
