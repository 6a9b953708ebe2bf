import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../scripts/sources.mjs';
import { portolan } from './support.ts';

type Side = Record<'launched' | 'launchedTwice' | 'followUps' | 'followUpsTwice' | 'lost' | 'paidTwiceUsd' | 'lines' | 'killed', number>;

test('demo chaos launches nothing twice by the pipeline while its worker is killed and answers are lost; the script written by hand does', async () => {
  const { code, out, err } = await portolan(['demo', 'chaos', '--items', '12', '--json'], { cwd: root });
  expect([code, err]).toEqual([0, '']);
  const { items, sides } = JSON.parse(out) as { items: number; sides: [Side, Side] };
  expect(items).toBe(12);
  const [script, pipeline] = sides;
  expect(pipeline).toMatchObject({
    side: 'pipeline',
    killed: 1,
    answersLost: 2,
    launched: 12,
    launchedTwice: 0,
    followUps: 6,
    followUpsTwice: 0,
    lost: 0,
    paidTwiceUsd: 0,
  });
  // The launch whose answer was lost, and the one under way when it was killed.
  expect(script).toMatchObject({ side: 'by hand', killed: 1, answersLost: 2, lost: 0 });
  expect([script.launchedTwice >= 2, script.paidTwiceUsd > 0, script.lines > pipeline.lines]).toEqual([true, true, true]);
});

test('on a terminal both sides are drawn beside each other, and the end is a table', async () => {
  const said = await portolan(['demo', 'chaos', '--items', '10'], { cwd: root, tty: true });
  expect(said.code).toBe(0);
  const out = stripVTControlCharacters(said.out);
  expect(out).toMatch(/by hand \d+ lines +│ pipeline \d+ lines/);
  expect(out).toMatch(/launched twice +\d+ +0\n/);
  expect(out).toMatch(/notes lost +\d+ +0\n/);
});

test('what demo does not know it says', async () => {
  expect(await portolan(['demo', 'order'])).toMatchObject({ code: 2, err: expect.stringContaining("there is no demo 'order'") });
  expect(await portolan(['demo', 'chaos', '--items', '3'])).toMatchObject({ code: 2, err: expect.stringContaining('from 10 to') });
  expect(await portolan(['demo', '--items', '30'])).toMatchObject({ code: 2, err: expect.stringContaining('--items is not for') });
});
