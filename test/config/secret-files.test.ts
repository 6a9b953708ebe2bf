import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secretFiles } from '../../config/secret-files.ts';
import { project } from './support.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('a secret stands in a file that only its user reads, in a folder that only its user opens', async () => {
  const dir = join(project(), 'secrets');
  const place = await secretFiles(dir).reserve('robot');
  expect(place.reference).toBe('secret:robot');
  await place.keep('nk-value');
  expect(readFileSync(join(dir, 'robot'), 'utf8')).toBe('nk-value\n');
  expect([modeOf(dir), modeOf(join(dir, 'robot')), readdirSync(dir)]).toEqual(['700', '600', ['robot']]);
});

test('what is there is never written over', async () => {
  const dir = project();
  writeFileSync(join(dir, 'robot'), 'nk-old\n');
  await expect(secretFiles(dir).reserve('robot')).rejects.toThrow("there is a secret named 'robot' already");
  expect(readFileSync(join(dir, 'robot'), 'utf8')).toBe('nk-old\n');
  expect(readdirSync(dir)).toEqual(['robot']);
});

test('of two calls that would use a name at once one has it, and the other waits until it is free or taken', async () => {
  const dir = project();
  const first = await secretFiles(dir).reserve('robot');
  await expect(secretFiles(dir).reserve('robot')).rejects.toMatchObject({ name: 'Unavailable', message: /is being made by another call/ });
  await first.keep('nk-first');
  await expect(secretFiles(dir).reserve('robot')).rejects.toThrow('already');
  expect(readFileSync(join(dir, 'robot'), 'utf8')).toBe('nk-first\n');
});

test('what another program put there meanwhile is not written over', async () => {
  const dir = project();
  const place = await secretFiles(dir).reserve('robot');
  writeFileSync(join(dir, 'robot'), 'nk-theirs\n');
  await expect(place.keep('nk-ours')).rejects.toThrow('already');
  expect(readFileSync(join(dir, 'robot'), 'utf8')).toBe('nk-theirs\n');
});

test('a name that a killed process held is free', async () => {
  const dir = project();
  const gone = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(join(dir, '.half.held'), JSON.stringify({ pid: gone.pid, startTime: 'long ago' }));
  await (await secretFiles(dir).reserve('half')).keep('nk-new');
  expect(readdirSync(dir)).toEqual(['half']);
});

test.each(['', '{"pid":', 'null', '{}'])('a name whose hold cannot be read is free: %j', async (hold) => {
  const dir = project();
  writeFileSync(join(dir, '.half.held'), hold);
  await (await secretFiles(dir).reserve('half')).keep('nk-new');
  expect(readdirSync(dir)).toEqual(['half']);
});

test('of many calls that find the hold of a killed process one has the name', async () => {
  const gone = spawnSync(process.execPath, ['-e', '']);
  for (let round = 0; round < 20; round++) {
    const dir = project();
    writeFileSync(join(dir, '.half.held'), JSON.stringify({ pid: gone.pid, startTime: 'long ago' }));
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => secretFiles(dir).reserve('half')));
    const [has, ...others] = asked.filter(({ status }) => status === 'fulfilled');
    expect([has?.status, others.length]).toEqual(['fulfilled', 0]);
    expect(readdirSync(dir)).toEqual(['.half.held']);
  }
});

test('a place that is given back is free', async () => {
  const dir = project();
  await (await secretFiles(dir).reserve('robot')).giveBack();
  expect(readdirSync(dir)).toEqual([]);
});

test.each(['../up', 'a/b', '.hidden', '', 'x'.repeat(101)])('%j names no secret', async (name) => {
  await expect(secretFiles(project()).reserve(name)).rejects.toThrow('cannot name a secret');
});
