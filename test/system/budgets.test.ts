import { beforeAll, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { readResults } from '../../store/results.ts';
import { useWorld } from './support.ts';

const world = useWorld({ lifted: true });

beforeAll(() => world.control.agents({ pace: { from: 0, to: 0 } }));

const file = new URL('../../pipelines/budgets.yaml', import.meta.url).pathname;
const drift = new URL('../../pipelines/budget-drift.yaml', import.meta.url).pathname;

const api = () => createClient('instance', { baseUrl: world.url, token: world.adminKeys.instance, permits: createPermits() });

const work = async (name: string): Promise<string> => (await api().projects.create({ name })).id;
const budgetOf = async (projectId: string) => (await api().budgets.list({ projectId })).data[0];
const member = async (name: string, project: string): Promise<{ id: string; email: string }> => {
  const email = `${name}@example.com`;
  const { id } = await world.control.addUser({ name, email });
  await api().projects.setMembers({ id: project, members: [{ user: id, role: 'editor' }] });
  return { id, email };
};

const command = (verb: string, pipeline: string, desired: string, ...more: string[]) =>
  world.portolan([verb, pipeline, '-c', world.connection, '-p', `desired=${desired}`, '--json', ...more]);

/** Runs the job to its end, with a yes at its gate. */
const settle = async (desired: string, ...more: string[]): Promise<Record<string, any>> => {
  const { out, err } = await command('run', file, desired, ...more);
  const result = JSON.parse(out.trim().split('\n').at(-1) || JSON.stringify({ err })) as Record<string, any>;
  if (result['state'] === 'approval') await world.portolan(['approve', result['run'], 'approve']);
  return (await world.ended(result['run'])).view;
};

const errorOf = (out: string): string => JSON.parse(out.trim().split('\n').at(-1)!).message;

/** What plan and run say alike of a file with a mistake, and a run that was not looked at before; nothing is sent. */
const refused = async (desired: string): Promise<string> => {
  const { value, effects } = await world.effectsOf(async () => {
    const [planned, started] = [await command('plan', file, desired), await command('run', file, desired)];
    const [{ problems }] = JSON.parse(planned.out).steps;
    expect([planned.code, started.code, errorOf(started.out)]).toEqual([
      2,
      2,
      problems.map((each: string) => `compare: ${each}`).join('\n'),
    ]);
    const { state, error } = await settle(desired, '--no-check');
    expect([state, error.message]).toEqual(['failed', expect.stringContaining(problems[0])]);
    return problems.join('\n');
  });
  expect(effects).toEqual([]);
  return value;
};

const planned = async (desired: string): Promise<{ does: string; differences: any[] }> => {
  const { out } = await command('plan', file, desired);
  const [compare] = JSON.parse(out).steps;
  return { does: compare.does, differences: (compare.differences ?? []).map(({ kind, budget }: any) => `${kind} ${budget}`) };
};

test('budgets become as the file says, releases first, after an approval; then the plan is empty and nothing is sent', async () => {
  const [north, south, east] = [await work('North'), await work('South'), await work('East')];
  const ada = await member('ada', north);
  const { id: organization, funding } = await api().budgets.get({ id: 'organization' });
  await api().budgets.create({ projectId: south, amountCents: funding.remainingCents - 1_000 });
  const desired = await world.write(
    'budgets.yaml',
    `organization: { memberLimits: { enabled: true, defaultCents: 90000, period: monthly } }
budgets:
  - project: North
    amountCents: 50000
    renewal: { cadence: weekly, amountCents: 500 }
    memberLimits: { enabled: true, defaultCents: 700, period: daily }
    members: { ada@example.com: 900 }
  - { project: ${south}, amountCents: 20000, onExhausted: notify }
  - { project: East, amountCents: 0 }
`,
  );
  expect(await planned(desired)).toEqual({
    does: expect.stringMatching(/^compare budgets: 1 released, 1 changed, 2 created, 1 limits: .*\$[\d,.]+ go back to the organization$/),
    differences: ['released South', 'changed organization', 'created North', 'created East', 'limits North'],
  });
  const { value: view, effects } = await world.effectsOf(() => settle(desired));
  expect([view['state'], view['outputs']]).toEqual(['done', expect.objectContaining({ applied: 5 })]);
  expect(
    effects.filter(({ operation }) => operation.startsWith('instance.budgets.')).map(({ operation }) => operation.split('.')[2]),
  ).toEqual(['update', 'update', 'create', 'create', 'setMembers']);
  expect(await budgetOf(north)).toMatchObject({
    parentId: organization,
    funding: { amountCents: 50_000, renewal: { cadence: 'weekly', amountCents: 500 } },
    memberLimits: { enabled: true, defaultCents: 700, period: 'daily' },
  });
  expect(await budgetOf(south)).toMatchObject({ funding: { amountCents: 20_000 }, onExhausted: 'notify' });
  expect((await budgetOf(east))!.funding.amountCents).toBe(0);
  const { data } = await api().budgets.members({ id: (await budgetOf(north))!.id });
  expect(data.find(({ id }) => id === ada.id)).toMatchObject({ limitCents: 900, effectiveLimitCents: 900 });

  expect(await planned(desired)).toEqual({ does: 'compare budgets: no difference', differences: [] });
  const again = await world.effectsOf(() => settle(desired));
  expect([again.value['state'], again.value['outputs']['applied'], again.effects]).toEqual(['done', 0, []]);
});

test('a file that is wrong is refused with file, line, field, rule and remedy, before anything is sent', async () => {
  const project = await work('Wrong');
  await api().budgets.create({ projectId: project, amountCents: 500 });
  const says = async (text: string): Promise<string> => refused(await world.write('wrong.yaml', text));
  expect(await says('budgets:\n  - { project: Wrong, amountCents: 12.5 }\n')).toMatch(
    /wrong\.yaml:2:\d+: 'budgets\[0\]\.amountCents' is 12\.5/,
  );
  expect(await says('budgets:\n  - { project: Wrong, amountCent: 12 }\n')).toMatch(/wrong\.yaml:2:.*amountCent.*amountCents/s);
  expect(await says('budgets:\n  - { project: Nowhere, amountCents: 5 }\n')).toMatch(/project Nowhere: is not there/);
  expect(await says('budgets:\n  - { project: Wrong, amountCents: 5, members: { eve@example.com: 5 } }\n')).toMatch(
    /member limits are not enabled.*write memberLimits: \{ enabled: true \}/,
  );
  expect(await says('budgets:\n  - { project: Wrong, amountCents: 5, memberLimits: { enabled: true, defaultCents: 5 } }\n')).toMatch(
    /needs a period \(invalid_budget_change\)/,
  );
  expect(await says('budgets:\n  - { project: Wrong, amountCents: 900000000 }\n')).toMatch(
    /insufficient_funds\); lower amountCents of one by/,
  );
  expect(await says('budgets:\n  - { project: Wrong, amountCents: 5 }\n  - { project: Wrong, amountCents: 6 }\n')).toMatch(
    /is said in .*wrong\.yaml:2/,
  );
});

test('a table of budgets is planned, approved and settled as a file is; a wrong row is refused by row and column, before anything is sent', async () => {
  const [quay, pier] = [await work('Quay'), await work('Pier')];
  const eve = await member('eve', quay);
  const { id: there } = await api().budgets.create({ projectId: pier, amountCents: 30_000 });
  const columns = 'project,amountCents,onExhausted,memberLimits.enabled,memberLimits.defaultCents,memberLimits.period,member,limitCents';
  const rows = ['Quay,40000,block,true,800,weekly,,', 'Quay,,,,,,eve@example.com,900', 'Pier,25000,notify,,,,,'];
  const table = (...lines: string[]) => world.write('table.csv', `${[columns, ...lines].join('\n')}\n`);
  const desired = await table(...rows);
  const { out: shown } = await world.portolan(['plan', file, '-c', world.connection, '-p', `desired=${desired}`]);
  expect(shown).toMatch(/what differs \(compare\):.*released: Pier: \$300\.00 → \$250\.00.*created: Quay: \$400\.00/s);
  expect((await planned(desired)).differences).toEqual(['released Pier', 'created Quay', 'limits Quay']);

  const waiting = await world.effectsOf(async () => JSON.parse((await command('run', file, desired)).out.trim().split('\n').at(-1)!));
  expect([waiting.value.state, waiting.effects]).toEqual(['approval', []]);
  await world.portolan(['approve', waiting.value.run, 'approve']);
  const { view } = await world.ended(waiting.value.run);
  expect([view.state, view.outputs]).toEqual(['done', expect.objectContaining({ applied: 3 })]);
  expect(await budgetOf(quay)).toMatchObject({
    funding: { amountCents: 40_000 },
    onExhausted: 'block',
    memberLimits: { enabled: true, defaultCents: 800, period: 'weekly' },
  });
  expect(await budgetOf(pier)).toMatchObject({ id: there, funding: { amountCents: 25_000 }, onExhausted: 'notify' });
  const { data } = await api().budgets.members({ id: (await budgetOf(quay))!.id });
  expect(data.find(({ id }) => id === eve.id)).toMatchObject({ limitCents: 900 });

  expect(await planned(desired)).toEqual({ does: 'compare budgets: no difference', differences: [] });
  const again = await world.effectsOf(() => settle(desired));
  expect([again.value['state'], again.value['outputs']['applied'], again.effects]).toEqual(['done', 0, []]);

  const says = "table.csv:4:6: column amountCents: 'amountCents' is 250.5, expected a whole number; write";
  const wrong = await table(rows[0]!, rows[1]!, 'Pier,250.5,notify,,,,,');
  const [compare] = JSON.parse((await command('plan', file, wrong)).out).steps;
  expect(compare).toMatchObject({ does: 'compare budgets of 1 file: fails by 1 mistake', problems: [expect.stringContaining(says)] });
  expect(await refused(wrong)).toContain(says);
});

test('a renewed budget is lowered by whole renewals where the file says so; what renewals have added since is no difference, and more is one', async () => {
  const day = 86_400;
  const project = await work('Lowered');
  const desired = (amountCents: number): Promise<string> =>
    world.write(
      'lowered.yaml',
      `budgets:\n  - { project: Lowered, amountCents: ${amountCents}, renewal: { cadence: weekly, amountCents: 500 } }\n`,
    );
  const drifts = async (path: string): Promise<string> => {
    const { out } = await command('run', drift, path);
    const { run } = JSON.parse(out.trim().split('\n').at(-1)!) as { run: string };
    const { view } = await world.ended(run);
    return view.steps.find(({ id }) => id === 'drift')!.error?.message ?? view.state;
  };
  const amount = async (): Promise<number> => (await budgetOf(project))!.funding.amountCents;
  await settle(await desired(50_000));
  const lower = await desired(40_000);
  expect(await drifts(lower)).toBe('1 released: $100.00 go back to the organization; released: Lowered: $500.00 → $400.00');
  expect((await planned(lower)).differences).toEqual(['released Lowered']);
  expect([(await settle(lower))['state'], await amount()]).toEqual(['done', 40_000]);

  try {
    await world.control.clock(8 * day);
    const renewed = await amount();
    expect(renewed).toBeGreaterThan(40_000);
    expect([await planned(lower), await drifts(lower)]).toEqual([{ does: 'compare budgets: no difference', differences: [] }, 'done']);
    // One more than was due.
    const { id } = (await budgetOf(project))!;
    await api().budgets.update({ id, amountCents: renewed + 500 });
    expect(await drifts(lower)).toMatch(/released: Lowered: \$41\d\.00 → \$400\.00 \(\d renewals more, and \d (was|were) due since /);
    expect([(await settle(lower))['state'], await amount()]).toEqual(['done', 40_000]);

    // What a run finds as it is named is known too, whoever has made it so.
    await api().budgets.update({ id, amountCents: 30_000 });
    const found = await desired(30_000);
    expect(await drifts(found)).toBe('done');
    await world.control.clock(16 * day);
    expect(await amount()).toBeGreaterThan(30_000);
    expect(await drifts(found)).toBe('done');

    // Made by somebody else, and renewed before any run has seen it.
    const other = await work('Renewed unseen');
    await api().budgets.create({ projectId: other, amountCents: 900, renewal: { cadence: 'daily', amountCents: 10 } });
    await world.control.clock(18 * day);
    const unseen = await world.write('unseen.yaml', 'budgets:\n  - { project: Renewed unseen, amountCents: 900 }\n');
    expect(await drifts(unseen)).toMatch(
      /released: Renewed unseen: \$9\.\d0 → \$9\.00 \(\d renewals more; the run store does not know when the amount was the named one/,
    );
  } finally {
    await world.control.clock(0);
  }
});

test('a budget that somebody has changed since it was compared is not written, and the next run settles it', async () => {
  const project = await work('Moved');
  const { id } = await api().budgets.create({ projectId: project, amountCents: 100 });
  const desired = await world.write('moved.yaml', 'budgets:\n  - { project: Moved, amountCents: 200 }\n');
  const { out } = await command('run', file, desired);
  const { run, state } = JSON.parse(out.trim().split('\n').at(-1)!);
  expect(state).toBe('approval');
  await api().budgets.update({ id, amountCents: 150 });
  await world.portolan(['approve', run, 'approve']);
  const { view } = await world.ended(run);
  expect(view.error).toMatchObject({
    type: 'ChangedMeanwhile',
    message: expect.stringContaining('Moved: amountCents was 100, and is 150'),
  });
  expect((await budgetOf(project))!.funding.amountCents).toBe(150);
  expect((await settle(desired))['state']).toBe('done');
  expect((await budgetOf(project))!.funding.amountCents).toBe(200);
});

test.each(['as it is', 'as a step'])(
  'a rerun of a run whose budgets somebody has changed since they were compared, %s, compares and asks anew',
  async (how) => {
    const project = await work(`Again, ${how}`);
    const { id } = await api().budgets.create({ projectId: project, amountCents: 100 });
    const desired = await world.write('again.yaml', `budgets:\n  - { project: '${project}', amountCents: 200 }\n`);
    const isStep = how === 'as a step';
    const path = isStep
      ? await world.pipeline(
          `name: above\nparams: { desired: { type: path } }\nsteps:\n  all: { use: ${file}, with: { desired: "\${{ params.desired }}" } }\n`,
        )
      : file;
    /** Says yes where a gate asks, and waits for the end. */
    const approved = async (run: string, before = async () => {}) => {
      const asks = isStep ? `${run}.all` : run;
      await world.until(asks, ({ view }) => view.state === 'approval');
      await before();
      await world.portolan(['approve', asks, 'approve']);
      return (await world.ended(run)).view;
    };
    const runOf = ({ out }: { out: string }): string => JSON.parse(out.trim().split('\n').at(-1)!).run;
    const run = runOf(await command('run', path, desired, '--detach'));
    const failed = await approved(run, async () => void (await api().budgets.update({ id, amountCents: 150 })));
    expect(failed).toMatchObject({ state: 'failed', error: { type: 'ChangedMeanwhile' } });
    const rerun = await world.portolan(['rerun', run, '--detach', '--json']);
    expect([rerun.code, rerun.err]).toEqual([0, '']);
    expect((await approved(runOf(rerun))).state).toBe('done');
    expect((await budgetOf(project))!.funding.amountCents).toBe(200);
  },
);

test('a lost answer neither creates a second budget nor fails the run', async () => {
  const project = await work('Lost');
  const desired = await world.write(
    'lost.yaml',
    'budgets:\n  - { project: Lost, amountCents: 100, memberLimits: { enabled: true }, members: {} }\n',
  );
  await world.control.fault('instance.budgets.create', 1, { lose: 'answer' });
  const { value, effects } = await world.effectsOf(() => settle(desired));
  expect([value['state'], effects.map(({ changed }) => changed)]).toEqual(['done', [1]]);
  expect((await budgetOf(project))!.funding.amountCents).toBe(100);
});

test('each of the six codes ends a run with its message and its remedy', async () => {
  const project = await work('Codes');
  const other = await work('Codes, other');
  const { id } = await api().budgets.create({ projectId: project, amountCents: 100 });
  const failed = async (operation: string, input: object) => {
    const call = JSON.stringify({ operation, input });
    const { result } = await world.run(`name: code\nsteps:\n  call: { use: api.call, with: ${call} }\n`);
    const { out } = await world.portolan(['why', result.run]);
    return out.replaceAll(/\s+/g, ' ');
  };
  const budgets = 'instance.budgets';
  expect(await failed(`${budgets}.update`, { id, renewal: { cadence: 'daily', amountCents: 0 } })).toMatch(
    /a renewal of 0 cents is none.*a renewal of at least 1 cent/,
  );
  expect(await failed(`${budgets}.update`, { id, amountCents: 900_000_000 })).toMatch(/cents left.*name a smaller amountCents/);
  expect(await failed(`${budgets}.update`, { id: 'organization', amountCents: 5 })).toMatch(
    /funded by its contract.*change its memberLimits alone/,
  );
  expect(await failed(`${budgets}.setMembers`, { id, members: [] })).toMatch(/not enabled on the budget.*enable them first/);
  expect(await failed(`${budgets}.create`, { projectId: project, amountCents: 5 })).toMatch(
    /has a budget already.*change it: instance.budgets.update/,
  );
  await world.control.contract({ projectBudgets: false });
  expect(await failed(`${budgets}.create`, { projectId: other, amountCents: 5 })).toMatch(/turned off.*turn them on for the organization/);
  await world.control.contract({ projectBudgets: true });
});

test('drift fails the run and says what differs; without it every cent that agents have cost is accounted for', async () => {
  const project = await work('Ledger');
  await api().budgets.create({ projectId: project, amountCents: 10_000 });
  const desired = await world.write('ledger.yaml', 'budgets:\n  - { project: Ledger, amountCents: 10000 }\n');
  const text = `Extract the emails: ada@example.com ${'and many more words '.repeat(2_000)}`;
  const launched = await api().agents.launch({ prompt: { text }, projectId: project });
  await expect.poll(async () => (await api().agents.get({ id: launched.id })).status).toBe('finished');
  const { spend } = await api().agents.usage({ id: launched.id });

  const well = await command('run', drift, desired);
  const result = JSON.parse(well.out.trim().split('\n').at(-1)!);
  expect([result.state, result.outputs.unexplainedCents]).toEqual(['done', 0]);
  const { view } = await world.ended(result.run);
  const results = (view.steps.find(({ id }) => id === 'ledger')!.output as { results: string }).results;
  const rows: Record<string, any>[] = [];
  for await (const row of readResults(world.store(result.run), results)) if (row['budget'] === 'Ledger') rows.push(row);
  const { spentCents } = (await budgetOf(project))!.funding;
  expect(spentCents).toBeGreaterThan(0);
  expect(rows.filter(({ kind }) => kind === 'run')).toMatchObject([{ run: launched.id, cents: spentCents }]);
  expect(rows.filter(({ kind }) => kind === 'model').map(({ model, usd }) => [model, usd])).toEqual(
    spend.map(({ model, costUsd }) => [model, costUsd]),
  );

  // Money that no agent has cost.
  await world.control.spend({ run: 'nobody', nanoUsd: 70_000_000, projectId: project });
  await api().budgets.update({ id: (await budgetOf(project))!.id, amountCents: 9_000 });
  const ill = await command('run', drift, desired);
  const drifted = JSON.parse(ill.out.trim().split('\n').at(-1)!);
  expect(drifted.state).toBe('failed');
  const ends = (await world.ended(drifted.run)).view.steps.map(({ id, error }) => [id, error?.type, error?.message]);
  expect(ends).toEqual([
    ['drift', 'Drifted', expect.stringContaining('funded: Ledger: $90.00 → $100.00')],
    ['ledger', 'Unexplained', expect.stringContaining('Ledger: 7 cents: more is spent')],
  ]);
});

test('of a pipeline that is a step the mistakes are those of the whole; where a person is asked first they are doubts, and the run begins', async () => {
  await world.write('nowhere.yaml', 'budgets:\n  - { project: Nowhere at all, amountCents: 5 }\n');
  await world.write('inner.yaml', 'name: inner\nsteps:\n  compare: { use: budgets.compare, with: { desired: nowhere.yaml } }\n');
  const outer = (first: string): Promise<string> =>
    world.write('outer.yaml', `name: outer\nsteps:\n${first}  all: { use: ./inner.yaml${first && ', needs: [ask]'} }\n`);
  const plan = async (path: string) => {
    const { code, out } = await world.portolan(['plan', path, '-c', world.connection, '--json']);
    return { code, all: JSON.parse(out).steps.at(-1) };
  };
  const path = await outer('');
  const { code, all } = await plan(path);
  expect([code, all.problems, all.doubts]).toEqual([
    2,
    [expect.stringMatching(/^compare: project Nowhere at all: is not there/)],
    undefined,
  ]);
  const started = await world.effectsOf(() => world.portolan(['run', path, '-c', world.connection, '--json']));
  expect([started.value.code, errorOf(started.value.out), started.effects]).toEqual([2, `all: ${all.problems[0]}`, []]);

  await outer('  ask: { use: gate.approve, with: { show: is it there? } }\n');
  const asked = await plan(path);
  expect([asked.code, asked.all.problems, asked.all.doubts]).toEqual([0, undefined, all.problems]);
  // What cannot refuse the run is not asked for again before it begins.
  const reads = async () =>
    (await world.control.requests()).rows.filter(({ operation }) => operation.startsWith('instance.budgets.')).length;
  const before = await reads();
  const begun = await world.portolan(['run', path, '-c', world.connection, '--detach', '--json']);
  expect([begun.code, (await reads()) - before]).toEqual([0, 0]);
  const { run } = JSON.parse(begun.out) as { run: string };
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view.state).toBe('cancelled');
});
