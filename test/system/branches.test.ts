import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { giveSays, saidIn } from './support-says.ts';

const world = useWorld();

beforeAll(() => giveSays(world));

const said = (name: string): Promise<string> => saidIn(world, name);

test('a step is skipped where its `when` gives false, what needs it is too unless it accepts that, and the run is done', async () => {
  const pipeline = (slug: string): string => `name: ${slug}
params: { full: { type: boolean, default: true } }
steps:
  first: { use: acme.says, with: { word: first, file: ${slug}.txt } }
  whole: { use: acme.says, when: "\${{ params.full }}", with: { word: whole, file: ${slug}.txt }, needs: [first] }
  after: { use: acme.says, with: { word: "\${{ steps.whole.word + 'er' }}", file: ${slug}.txt } }
  short: { use: acme.says, when: "\${{ !steps.first.long }}", with: { word: short, file: ${slug}.txt } }
  last:
    use: acme.says
    needs: { whole: [done, skipped], after: any }
    with: { word: "\${{ steps.?whole.word.orValue('none') }}", file: ${slug}.txt }
outputs: { word: "\${{ steps.last.word }}", after: "\${{ steps.?after.word.orValue('nothing') }}" }
`;
  const full = await world.ended(await world.start(pipeline('full')));
  expect(full.view).toMatchObject({ state: 'done', outputs: { word: 'whole', after: 'wholeer' } });
  expect(await said('full.txt')).toBe('first whole wholeer whole ');

  const half = await world.start(pipeline('half'), { full: 'false' });
  const { view } = await world.ended(half);
  expect(view).toMatchObject({
    state: 'done',
    outputs: { word: 'none', after: 'nothing' },
    steps: [
      { id: 'first', status: 'done' },
      { id: 'whole', status: 'skipped', skipped: { because: 'when' } },
      { id: 'after', status: 'skipped', skipped: { because: 'needs', step: 'whole', status: 'skipped' } },
      { id: 'short', status: 'skipped', skipped: { because: 'when' } },
      { id: 'last', status: 'done' },
    ].map((step) => expect.objectContaining(step)),
  });
  expect(await said('half.txt')).toBe('first none ');
  expect((await world.portolan(['why', half])).out).toMatch(
    /whole was skipped: its `when` gave false[^]*after was skipped: whole was skipped/,
  );
  expect((await world.portolan(['status', half])).out).toMatch(
    /whole .*skipped: its `when` gave false[^]*after .*skipped: whole was skipped/,
  );
});

test('a failure that is tolerated lets the run go on; one that is not is the end of it, but for the steps that accept it', async () => {
  const tolerated = await world.start(`name: tolerated
steps:
  bad: { use: acme.says, onError: tolerate, with: { word: nothing, file: t.txt, fails: true } }
  good: { use: acme.says, needs: [bad], with: { word: good, file: t.txt } }
`);
  expect((await world.ended(tolerated)).view).toMatchObject({
    state: 'done',
    steps: [
      { id: 'bad', status: 'tolerated', error: { message: expect.stringContaining('nothing is not to be said') } },
      { id: 'good', status: 'done' },
    ],
  });
  expect(await said('t.txt')).toBe('good ');

  const failed = await world.start(`name: failed
steps:
  bad: { use: acme.says, with: { word: nothing, file: f.txt, fails: true } }
  never: { use: acme.says, needs: [bad], with: { word: never, file: f.txt } }
  mend: { use: acme.says, needs: { bad: [failed], never: any }, with: { word: mended, file: f.txt } }
  then: { use: acme.says, needs: [mend], with: { word: then, file: f.txt } }
`);
  expect((await world.ended(failed)).view).toMatchObject({
    state: 'failed',
    error: { step: 'bad' },
    steps: [
      { id: 'bad', status: 'failed' },
      { id: 'never', status: 'skipped', skipped: { because: 'failure' } },
      { id: 'mend', status: 'done' },
      { id: 'then', status: 'done' },
    ],
  });
  expect(await said('f.txt')).toBe('mended then ');
});

test('a gate that accepts a failure asks in a run that has failed, and what it approves is done', async () => {
  const run = await world.start(`name: asked
steps:
  bad: { use: acme.says, with: { word: nothing, file: a.txt, fails: true } }
  ask: { use: gate.approve, needs: { bad: [failed] } }
  mend: { use: acme.says, needs: [ask], with: { word: mended, file: a.txt } }
`);
  await world.until(run, ({ view }) => view.state === 'approval');
  expect((await world.portolan(['why', run])).out).toMatch(/has failed in bad .*nothing is not to be said.*; ask goes on/);
  await world.portolan(['approve', run, 'ask']);
  expect((await world.ended(run)).view).toMatchObject({
    state: 'failed',
    error: { step: 'bad' },
    steps: [{ status: 'failed' }, { status: 'done' }, { status: 'done' }],
  });
  expect(await said('a.txt')).toBe('mended ');
});
