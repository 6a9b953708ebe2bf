import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isKept } from '../../pipelines/kept.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const pipeline = `
name: large
params: { project: { type: string } }
steps:
  get:
    use: api.call
    with: { operation: maps.projects.get, input: { project_id: "\${{ params.project }}" } }
  note:
    use: api.call
    with: { operation: maps.projects.update, input: { project_id: "\${{ steps.get.result.id }}", id: "\${{ steps.get.result.id }}", description: "\${{ steps.get.result.description + '!' }}" } }
  last:
    use: api.call
    needs: [note]
    with: { operation: maps.projects.get, input: { project_id: "\${{ steps.get.result.id }}" } }
outputs: { text: "\${{ steps.last.result.description }}", slug: "\${{ steps.last.result.slug }}" }
`;

const word = 'mnemosyne';
const text = `${word} `.repeat(1_000).trim();

test('values above a few KiB stand in the run store: no history and no view holds them, and expressions read them all the same', async () => {
  const project = await world.api.projects.create({
    project_name: newSlug('large'),
    organization_id: await organization(),
    description: text,
  });
  const { result } = await world.run(pipeline, { project: project.project_id });
  expect(result).toMatchObject({ state: 'done', outputs: { text: `${text}!` } });

  const { view } = await world.ended(result.run);
  expect(view.steps.map(({ output }) => isKept(output))).toEqual([true, false, true]);
  expect(isKept(view.outputs!['text'])).toBe(true);
  const histories = JSON.stringify((await world.histories(result.run)).map(decoded));
  expect([histories.includes('$kept'), histories.includes(word)]).toEqual([true, false]);
  expect(await readdir(world.store(result.run).path('values'))).not.toEqual([]);
  expect(await world.portolan(['status', result.run])).toMatchObject({ code: 0, out: expect.stringContaining('kB kept') });

  const again = await world.portolan(['rerun', result.run, '--from', 'last', '--json']);
  const lines = again.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, any>);
  expect(lines.at(-1)).toMatchObject({ state: 'done', outputs: { text: `${text}!` } });
  const rerun = await world.ended(lines.at(-1)!['run'] as string);
  expect(rerun.view.steps.map(({ reusedFrom }) => reusedFrom)).toEqual([result.run, result.run, undefined]);
});

const organization = async (): Promise<string> => (await world.api.user.get({})).organizations[0]!.organization_id;

/** Every payload of a history as text. */
const decoded = (value: unknown): unknown =>
  value instanceof Uint8Array
    ? Buffer.from(value).toString('utf8')
    : Array.isArray(value)
      ? value.map(decoded)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decoded(inner)]))
        : value;
