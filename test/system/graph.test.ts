import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { giveSays } from './support-says.ts';

const world = useWorld();

beforeAll(() => giveSays(world));

test('a run is drawn with how far each step is, in its report too', async () => {
  const run = await world.start(`name: drawn
steps:
  first: { use: acme.says, with: { word: first, file: drawn.txt } }
  left: { use: acme.says, when: false, with: { word: left, file: drawn.txt }, needs: [first] }
  each:
    needs: [first]
    forEach: { items: [one, two], as: word }
    steps: { say: { use: acme.says, with: { word: "\${{ word }}", file: drawn.txt } } }
  ask: { use: gate.approve, needs: [each], with: { show: hello } }
  last: { use: acme.says, needs: [ask], with: { word: last, file: drawn.txt } }
`);
  await world.until(run, ({ view }) => view.state === 'approval');
  const open = (await world.portolan(['graph', run])).out;
  for (const part of [
    'step_first["✓ first<br/>acme.says"]:::done',
    'step_left["– left<br/>acme.says<br/>when false<br/>its #96;when#96; gave false"]:::skipped',
    'subgraph step_each["✓ each<br/>for each of 2 items<br/>2 of 2 done"]',
    'step_ask{{"? ask<br/>gate.approve: waits for a person"}}:::approval',
    'step_last["· last<br/>acme.says"]:::waiting',
    'step_ask --> step_last',
  ])
    expect(open).toContain(part);

  expect((await world.portolan(['approve', run, 'ask'])).code).toBe(0);
  await world.ended(run);
  expect((await world.portolan(['graph', run])).out).toContain('step_last["✓ last<br/>acme.says"]:::done');
  expect((await world.portolan(['report', run])).code).toBe(0);
  const page = await readFile(world.store(run).path('report.html'), 'utf8');
  expect(page).toContain('<svg xmlns="http://www.w3.org/2000/svg" class="graph"');
  expect(page.match(/class="(?:call|loop|gate) done"/g)).toHaveLength(5);
  expect(page).toContain('class="call skipped"');
});
