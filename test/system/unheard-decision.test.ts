import { expect, test } from 'vitest';
import { decide } from '../../runs/control.ts';
import { findRun } from '../../runs/find.ts';
import { useWorld } from './support.ts';

const world = useWorld();

test('a decision that no worker hears says so, and what to do; one that is given up ends at once', async () => {
  const run = await world.start('name: asks\nsteps:\n  ask: { use: gate.approve, with: { expires: 1h } }\n');
  await world.until(run, ({ view }) => view.state === 'approval');
  const location = await findRun(world.place, run);
  await world.worker.kill();
  const decision = { step: 'ask', approve: true, who: 'ada', note: '' };
  await expect(decide(world.place, location, decision, { withinMs: 1_000 })).rejects.toMatchObject({
    name: 'RunProblem',
    message: 'no worker has heard of it in 1 s, and the server may keep it for the next one',
    remedy: `start one (portolan worker, or portolan dev), then see whether it waits still: portolan status ${run}`,
  });
  const giveUp = new AbortController();
  const given = decide(world.place, location, decision, { signal: giveUp.signal });
  giveUp.abort();
  await expect(given).rejects.toMatchObject({ name: 'AbortError' });
  await world.worker.start(0);
  await world.portolan(['approve', run, 'ask']);
  expect((await world.ended(run)).view.state).toBe('done');
});
