import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGarbage } from '../../runs/garbage.ts';
import { removeGarbage } from '../../runs/remove-garbage.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const day = 86_400_000;

test('what runs share, and has just been made, keeps no run from being removed', async () => {
  const { result } = await world.run('name: ends\nsteps:\n  never: { use: gate.approve, when: false, with: {} }\n');
  const found = await findGarbage(world.place, { olderThanMs: 30 * day, workAfterMs: day }, Date.now() + 40 * day);
  for (const name of ['exclusive', 'known', 'marks', 'schedules', 'tags'])
    await mkdir(join(world.place.storeRoot, name), { recursive: true });
  expect((await removeGarbage(world.place, found)).map(({ run }) => run)).toEqual([result.run]);
  expect(existsSync(join(world.place.storeRoot, result.run))).toBe(false);
});
