import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listRuns } from '../../runs/list.ts';
import { createWorld } from '../support/world.ts';

const waits = `
name: waits
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
`;
const ends = `
name: ends
steps:
  never: { use: gate.approve, when: false, with: {} }
`;

// The cluster lists open runs first, then those that ended last, whichever began last.
test('the newest run is the one that began last, also where an older one is open or ended after it', async () => {
  await using world = await createWorld();
  const older = await world.start(waits);
  await world.until(older, ({ view }) => view.state === 'approval');
  const newest = await world.start(ends);
  await world.ended(newest);
  const listed = async (limit: number): Promise<string[]> =>
    (await listRuns(world.place, { limit, store: world.place.storeRoot })).map(({ run }) => run);
  expect(await listed(1)).toEqual([newest]);
  await world.portolan(['approve', older, 'ask']);
  await world.ended(older);
  expect(await listed(1)).toEqual([newest]);
  expect(await listed(2)).toEqual([newest, older]);
  // Also by the list alone, as of a run whose folder is on another host.
  const withoutFolders = { ...world.place, storeRoot: join(world.dir, 'none') };
  expect((await listRuns(withoutFolders, { limit: 1 })).map(({ run }) => run)).toEqual([newest]);
});
