import { expect, test } from 'vitest';
import { createWorld } from '../service/world.ts';
import { createControl } from './control.ts';

/** A real service that listens, and the control that tests use. */
const start = async () => {
  const world = await createWorld();
  const { url } = await world.service.listen();
  return { world, control: createControl(() => url), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
};

test('a fault that never fired fails who ordered it, once, by name', async () => {
  await using started = await start();
  const { control } = started;
  await control.fault('maps.user.get', 2, { status: 500 });
  await started.world.api.get('/v1/user');
  await expect(control.checkFired()).rejects.toThrow(/maps\.user\.get, call 2, \{"status":500\}: fired 0 of 1/);
  await expect(control.checkFired()).resolves.toBeUndefined();
});

test('one that fired as often as ordered is accounted for, one that fired less often is not', async () => {
  await using started = await start();
  const { control, world } = started;
  await control.fault('maps.user.get', 1, { status: 500 });
  await world.api.get('/v1/user');
  await expect(control.checkFired()).resolves.toBeUndefined();
  await control.fault('maps.user.get', 1, { status: 500 }, 2);
  await world.api.get('/v1/user');
  await expect(control.checkFired()).rejects.toThrow('fired 1 of 2');
});

test('clearing is no way out, and neither is the death of the service', async () => {
  await using started = await start();
  const { control, world } = started;
  await control.fault('maps.user.get', 1, { status: 500 });
  await expect(control.clear()).rejects.toThrow('fired 0 of 1');
  await control.fault('maps.projects.list', 1, { status: 500 });
  await world.service.close();
  await expect(control.checkFired()).rejects.toThrow('the service that had the order is gone');
});

test('a hold that a call was seen in is accounted for though the service dies with it', async () => {
  await using started = await start();
  const { control, world } = started;
  const { id } = await control.fault('maps.user.get', 1, { hold: 'before' });
  const asking = world.api.get('/v1/user');
  expect(await control.held(id)).toBe(true);
  await control.release(id);
  await asking;
  await world.service.close();
  await expect(control.checkFired()).resolves.toBeUndefined();
});

test('a hold that no call came to in time holds none later, and is reported as unfired', async () => {
  await using started = await start();
  const { control, world } = started;
  const { id } = await control.fault('maps.user.get', 1, { hold: 'before' });
  expect(await control.held(id, 1)).toBe(false);
  expect((await world.api.get('/v1/user')).status).toBe(200);
  await expect(control.checkFired()).rejects.toThrow('fired 0 of 1');
});

test('only the call that says so in its name leaves a fault unfired', async () => {
  await using started = await start();
  await started.control.faultIfCalled('maps.user.get', 1, { status: 500 });
  await expect(started.control.checkFired()).resolves.toBeUndefined();
});
