import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMarks } from '../../store/marks.ts';
import { portolan } from './support.ts';

let cwd: string;
let folder: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-marks-'));
  folder = join(cwd, '.portolan', 'runs', 'marks');
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** The next setting of the mark of a step, and its file. */
const set = async (step: string, before = 0): Promise<string> => {
  const owner = { pipeline: 'feed', step, connection: 'local', dataset: 'd', source: 'rows.csv' };
  await createMarks(join(cwd, '.portolan', 'runs')).set(before, { ...owner, from: null, to: { kind: 'number', value: '7' }, by: 'ada' });
  const name = (await readdir(folder)).find((each) => each.startsWith(`feed~${step}~`))!;
  return join(folder, name, `0000000${before + 1}.json`);
};

const show = (...argv: string[]) => portolan(['watermark', 'show', ...argv], { cwd });

test('a file that a file manager leaves beside the marks is none of them', async () => {
  await set('rows');
  await writeFile(join(folder, '.DS_Store'), '');
  await mkdir(join(folder, 'copies'));
  expect(await show()).toMatchObject({ code: 0, out: expect.stringContaining('feed'), err: '' });
});

test.each(['', '{"version":', 'null', '{}'])('a damaged mark is named with its file, and all others are shown: %j', async (text) => {
  await set('rows');
  const file = await set('texts');
  await writeFile(file, text);
  const { code, out, err } = await show();
  expect([code, out]).toEqual([1, expect.stringMatching(/feed +rows/)]);
  expect(out).not.toContain('texts');
  expect(err).toContain(`${file} is damaged: `);
  expect(err).toContain('take it away: the setting before it counts then');
  await rm(file);
  expect(await show()).toMatchObject({ code: 0, err: '' });
});

test('a mark whose newest setting is damaged is not shown as it was before; its history is', async () => {
  await set('rows');
  await writeFile(await set('rows', 1), '');
  expect(await show()).toMatchObject({ code: 1, out: '' });
  expect(await show('--history')).toMatchObject({ code: 1, out: expect.stringMatching(/feed +rows/) });
});

test('what is asked for may be the damaged one: nobody is told that there is no such mark', async () => {
  await set('rows');
  await writeFile(await set('texts'), '');
  const { code, err } = await show('other');
  expect([code, err]).toEqual([1, expect.stringMatching(/^✗ \S+ is damaged: /)]);
});
