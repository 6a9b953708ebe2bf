import { describe, expect, test } from 'vitest';
import { forecast } from '../../pipelines/forecast/forecast.ts';
import { graphOf } from '../../pipelines/graph/graph.ts';
import { endStatuses } from '../../pipelines/plan.ts';
import { inputHash } from '../../pipelines/input-hash.ts';
import { steps as table } from '../../pipelines/steps/table.ts';
import { findings, planOf, sample, wipe } from './support.ts';

const head = 'name: p\nparams: { full: { type: boolean, default: true } }\nsteps:\n';
const wrong = (steps: string, outputs = ''): string[] =>
  findings(`${head}${steps}${outputs}`).map(({ code, path, message }) => `${code} ${path} ${message}`);
const textOf = (text: string): string => `{ use: acme.sample, with: { text: "${text}" } }`;
const used = `  flag: { use: acme.sample, with: { flag: "\${{ params.full }}" } }\n`;

/** A loop in a loop, with references in all directions that are right. */
const nested = `${used}
  before: ${textOf('x')}
  each:
    forEach: { items: "\${{ steps.before.list }}", as: doc }
    steps:
      read: ${textOf('${{ doc.id }} of ${{ steps.before.text }}')}
      inner:
        forEach: { items: [1, 2, 3], as: n, parallel: 2 }
        steps:
          deep: ${textOf('${{ string(n) }} ${{ doc.id }} ${{ steps.read.text }}')}
        outputs: { n: "\${{ n }}", text: "\${{ steps.deep.text }}" }
      last: { use: acme.sample, needs: [read], with: { count: "\${{ steps.inner.count }}" } }
    outputs: { id: "\${{ doc.id }}", first: "\${{ steps.inner.rows[0].text }}" }
  after: ${textOf('${{ steps.each.rows[0].first }}')}
`;

describe('a dataset that turns write', () => {
  const append = (dataset: string, more = '', before = ''): string[] =>
    wrong(
      `  all: { use: dataset.ensure, with: { slug: films } }\n  each:\n    forEach: { items: [a, b], as: kind${more} }\n    steps:\n${before}` +
        `      add: { use: dataset.append, with: { dataset: "\${{ ${dataset} }}", source: films.csv, id: { row: true } } }\n    outputs: { kind: "\${{ kind }}" }\n${used}`,
    );
  const own = (slug: string): string => `      one: { use: dataset.ensure, with: { slug: "${slug}" } }\n`;
  const message =
    "turns of 'each' that go at the same time would write one dataset (add: dataset.append): none sees the rows of the others";

  test('is written by one turn after the other, where it is one for all of them', () => {
    expect(append('steps.all.id')).toEqual([`invalid-value steps.each.forEach ${message}`]);
    expect(append('steps.all.id', ', parallel: 2')).toEqual([`invalid-value steps.each.forEach.parallel ${message}`]);
    expect(append('steps.one.id', '', own('films'))).toEqual([`invalid-value steps.each.forEach ${message}`]);
    expect(append('steps.all.id', ', parallel: 1')).toEqual([]);
    expect(append('steps.one.id', '', own('${{ kind }}'))).toEqual([]);
  });
});

describe('names in a loop', () => {
  test('are the item, the steps beside, and all that stands around', () => {
    expect(wrong(nested, 'outputs: { ids: "${{ steps.each.rows.map(r, r.id) }}", all: "${{ steps.each.results }}" }\n')).toEqual([]);
  });

  test('are found where they are none: the item of another loop, a step inside of one, one that is twice there', () => {
    expect(wrong(nested, 'outputs: { a: "${{ steps.deep.text }}", b: "${{ doc.id }}" }\n')).toEqual([
      "no-such-step outputs.a 'deep' stands in the loop 'inner': outside of it nobody knows which turn is meant",
      "bad-expression outputs.b unknown name 'doc': an expression begins with params, steps, run; text needs quotes",
    ]);
    const twice = `${used}  a: ${textOf('x')}\n  each:\n    forEach: { items: [1] }\n    steps: { a: ${textOf('${{ string(item) }}')} }\n`;
    expect(wrong(twice)).toEqual(["duplicate-field steps.each.steps.a the id 'a' is taken: steps.a"]);
    expect(wrong(nested, 'outputs: { a: "${{ steps.each.rows[0].firts }}" }\n')).toEqual([]);
    expect(wrong(nested, 'outputs: { a: "${{ steps.each.roes }}" }\n')).toEqual([
      "no-such-output outputs.a steps.each has no output 'roes'; it has count, done, failed, results, rows",
    ]);
  });

  test('a loop that reads its own rows, and a step that needs one outside, are mistakes', () => {
    const own = `${used}  each:\n    forEach: { items: [1] }\n    steps: { a: ${textOf('${{ string(size(steps.each.rows)) }}')} }\n    outputs: { x: 1 }\n`;
    expect(wrong(own)).toEqual(["cycle steps.each step 'each' refers to itself"]);
    const outside = `${used}  one: ${textOf('x')}\n  each:\n    forEach: { items: [1] }\n    steps: { a: { use: acme.sample, needs: [one] } }\n`;
    expect(wrong(outside)[0]).toMatch(/^no-such-step steps.each.steps.a.needs\[0\] 'one' does not stand beside this step/);
  });

  test('fields of a loop are its own, and may be misspelt', () => {
    const misspelt = `${used}  each:\n    forEach: { itms: [1] }\n    step: { a: ${textOf('x')} }\n    window: 3\n`;
    expect(wrong(misspelt)).toEqual([
      "unknown-field steps.each.forEach.itms 'itms' is not a field of 'forEach'; did you mean 'items'?",
      "unknown-field steps.each.step 'step' is not a field of a step; did you mean 'steps'?",
      expect.stringContaining("unknown-field steps.each.window 'window' is not a field of a step"),
    ]);
    expect(wrong(`${used}  each:\n    forEach: { items: [1], as: params }\n    steps: { a: ${textOf('x')} }\n`)[0]).toContain(
      'this name means something else in expressions',
    );
  });

  test('what a turn gives may be missing where a step of it may be skipped', () => {
    const loop = (output: string): string =>
      `  each:\n    forEach: { items: [1] }\n    steps: { a: { use: acme.sample, when: "\${{ params.full }}", with: { count: "\${{ item }}" } } }\n    outputs: { x: "${output}" }\n`;
    expect(wrong(loop('${{ steps.a.text }}'))).toEqual([
      'may-be-missing steps.each.outputs.x steps.a may be skipped, and then has no outputs',
    ]);
    expect(wrong(loop("${{ steps.?a.text.orValue('none') }}"))).toEqual([]);
  });
});

test.each(['items: [a, b]', 'rows: films.csv, key: id'])('a loop over %s waits for what its outputs alone read', (over) => {
  const each = `  each:\n    forEach: { ${over} }\n    steps: { look: ${textOf('x')} }\n    outputs: { of: "\${{ steps.cfg.text }}" }\n`;
  const needsOf = (steps: string): unknown => planOf(`${head}${used}${steps}`).steps.find(({ id }) => id === 'each')!.needs;
  expect(needsOf(`${each}  cfg: ${textOf('x')}\n`)).toEqual(['cfg']);
  expect(wrong(`${used}${each}  cfg: { use: acme.sample, needs: [each] }\n`)).toEqual([
    'cycle steps.each.outputs.of steps wait for each other: each → cfg → each',
  ]);
});

test('the plan holds the steps of a loop behind it, each with what it needs beside it', () => {
  const plan = planOf(`${head}${nested}`);
  expect(plan.steps.map((step) => [step.id, step.in, step.needs])).toEqual([
    ['flag', undefined, []],
    ['before', undefined, []],
    ['each', undefined, ['before']],
    ['read', 'each', []],
    ['inner', 'each', ['read']],
    ['deep', 'inner', []],
    ['last', 'each', ['inner', 'read']],
    ['after', undefined, ['each']],
  ]);
  expect(plan.steps.find(({ id }) => id === 'inner')).toMatchObject({ kind: 'loop', window: 2, each: { as: 'n' } });
});

test('what is planned of a loop is as often as it has items; of one whose items nobody knows, anything', () => {
  const steps = { ...table, [sample.name]: sample };
  const call = '{ use: api.call, with: { operation: maps.projects.list, input: {} } }';
  const loop = (items: string, inner: string): string => `  each:\n    forEach: { items: ${items} }\n    steps:\n${inner}`;
  const twice = `      more:\n        forEach: { items: [a, b] }\n        steps: { list: ${call} }\n`;
  const callsOf = (body: string, id: string) =>
    forecast(planOf(`${head}${used}${body}`), steps, { table: () => undefined }).steps.find((step) => step.id === id)!.calls;
  expect(callsOf(loop('[1, 2, 3]', twice), 'list')).toMatchObject([{ operation: 'maps.projects.list', min: 6, max: 6 }]);
  expect(callsOf(`  before: ${textOf('x')}\n${loop('"${{ steps.before.list }}"', twice)}`, 'list')).toEqual([
    { operation: 'maps.projects.list', min: 0, max: null, because: 'the items of each are known only in the run' },
  ]);
});

test('what a step of a loop costs at most is what it costs in a turn, times the turns', () => {
  const ask = '{ use: agent.run, with: { items: a.csv, prompt: "read {{text}}", cap: { item: 1, total: 20 } } }';
  const loop = `  each:\n    forEach: { items: [1, 2, 3] }\n    steps: { ask: ${ask} }\n`;
  const { steps } = forecast(planOf(`${head}${used}${loop}`), { ...table, [sample.name]: sample }, { table: () => undefined });
  expect(steps.find(({ id }) => id === 'ask')!.cost).toMatchObject({ min: 0, max: 60 });
});

test('a gate outside of a loop approves what stands in it, and acts in a loop need one', () => {
  const loop = (needs: string): string =>
    `${used}  ask: { use: gate.approve }\n  each:\n    forEach: { items: [1, 2] }\n${needs}    steps: { gone: { use: acme.wipe } }\n`;
  expect(wipe.name).toBe('acme.wipe');
  const { steps } = planOf(`${head}${loop('    needs: [ask]\n')}`);
  expect(steps.find(({ id }) => id === 'ask')!.approves!.map(({ step }) => step)).toEqual(['gone']);
  expect(steps.find(({ id }) => id === 'gone')).toMatchObject({ approved: true, in: 'each' });
  expect(wrong(loop(''))).toEqual([expect.stringMatching(/^needs-approval steps.each.steps.gone.use/)]);
});

test('a loop depends on all that its turns do', () => {
  const hash = (text: string, run = 'r1'): string => {
    const plan = planOf(`${head}${used}  each:\n    forEach: { items: [1] }\n    steps: { a: ${text} }\n`);
    const step = plan.steps.find(({ id }) => id === 'each')!;
    return inputHash(step, step.with, plan, {}, run);
  };
  expect(hash(textOf('x'))).toBe(hash(textOf('x'), 'r2'));
  expect(hash(textOf('x'))).not.toBe(hash(textOf('y')));
  expect(hash(textOf('${{ run.id }}'))).not.toBe(hash(textOf('${{ run.id }}'), 'r2'));
});

test('a loop depends on the parameters that its turns read, wherever they stand, and on no other', () => {
  const hash = (lang: string, { text = '', outputs = '', inner = '' }): string => {
    const turn = inner === '' ? `{ a: ${textOf(text)} }` : `{ inside: { forEach: { items: [1] }, steps: { a: ${textOf(inner)} } } }`;
    const loop = `  each:\n    forEach: { items: [a], as: word }\n    steps: ${turn}\n${outputs}`;
    const params = 'params: { lang: { type: string }, full: { type: boolean, default: true } }';
    const plan = planOf(`name: p\n${params}\nsteps:\n${used}  more: ${textOf('${{ params.lang }}')}\n${loop}`, { params: { lang } });
    const step = plan.steps.find(({ id }) => id === 'each')!;
    return inputHash(step, step.with, plan, {}, 'r1');
  };
  const changes = (where: Parameters<typeof hash>[1]): boolean => hash('de', where) !== hash('en', where);
  expect(changes({ text: '${{ word }} in ${{ params.lang }}' })).toBe(true);
  expect(changes({ inner: '${{ word }} in ${{ params.lang }}' })).toBe(true);
  expect(changes({ text: 'x', outputs: '    outputs: { q: "${{ params.lang }}" }\n' })).toBe(true);
  expect(changes({ text: "${{ params[word == 'a' ? 'lang' : 'full'] }}" })).toBe(true);
  expect(changes({ text: '${{ word }}' })).toBe(false);
  expect(changes({ text: '${{ word }} ${{ string(params.full) }}' })).toBe(false);
});

describe('finally', () => {
  const file = (rest: string, outputs = ''): string => `${used}  a: ${textOf('x')}\nfinally:\n${rest}${outputs}`;

  test('steps follow all others, however they end, and each other', () => {
    const plan = planOf(`${head}${file(`  sum: ${textOf('x')}\n  last: { use: acme.sample, needs: [sum] }\n`)}`);
    expect(plan.steps.map(({ id, finally: final, needs }) => [id, final, needs])).toEqual([
      ['flag', undefined, []],
      ['a', undefined, []],
      ['sum', true, ['flag', 'a']],
      ['last', true, ['sum', 'flag', 'a']],
    ]);
    expect(plan.steps[2]!.accepts).toEqual({ flag: [...endStatuses], a: [...endStatuses] });
    expect(plan.steps[3]!.accepts).toEqual(plan.steps[2]!.accepts);
  });

  test('a gate approves none of them unless it names it', () => {
    const gated = (ask: string, final: string, more = ''): string =>
      `${used}  ask: { use: gate.approve${ask} }\n  gone: { use: acme.wipe, needs: [ask] }\nfinally:\n  last: { use: ${final}${more} }\n`;
    expect(
      planOf(`${head}${gated('', 'acme.sample')}`)
        .steps.find(({ id }) => id === 'ask')!
        .approves!.map(({ step }) => step),
    ).toEqual(['gone']);
    expect(wrong(gated('', 'acme.wipe'))).toEqual([expect.stringMatching(/^needs-approval finally.last.use/)]);
    expect(wrong(gated(', with: { approves: [gone, last] }', 'acme.wipe', ', needs: { ask: done }'))).toEqual([]);
  });

  test('what they read may be missing, and nothing else can wait for them', () => {
    expect(wrong(file(`  sum: ${textOf('${{ steps.a.text }}')}\n`))).toEqual([
      'may-be-missing finally.sum.with.text steps.a may be skipped, and then has no outputs',
    ]);
    expect(wrong(file(`  sum: ${textOf("${{ steps.?a.text.orValue('none') }}")}\n`))).toEqual([]);
    expect(wrong(`${used}  a: { use: acme.sample, needs: [sum] }\nfinally:\n  sum: ${textOf('x')}\n`)).toEqual([
      expect.stringMatching(/^cycle steps.a.needs\[0\] steps wait for each other/),
    ]);
  });
});

describe('a loop over the rows of a table', () => {
  const rows = (inner: string, more = ''): string =>
    `${used}  each:\n    forEach: { rows: films.csv, key: id, as: film, parallel: 6 }\n${more}    steps:\n${inner}    outputs: { id: "\${{ film.id }}" }\n`;

  test('is a sweep whose steps workers do, and its table is a source of the plan', () => {
    const plan = planOf(`${head}${rows(`      read: ${textOf('${{ film.title }}')}\n`)}`);
    expect(plan.steps.find(({ id }) => id === 'each')).toMatchObject({
      use: 'forEach.rows',
      kind: 'sweep',
      window: 2,
      with: { rows: '/base/films.csv', key: 'id' },
      each: { as: 'film', atOnce: 3, outputs: { id: '${{ film.id }}' } },
    });
    expect(plan.steps.find(({ id }) => id === 'read')).toMatchObject({ in: 'each', needs: [] });
    expect(plan.sources).toEqual([{ step: 'each', field: 'rows', path: '/base/films.csv' }]);
    expect(
      wrong(rows(`      read: ${textOf('${{ film.title }}')}\n`), 'outputs: { ids: "${{ steps.each.rows.map(r, r.id) }}" }\n'),
    ).toEqual([]);
  });

  test('is drawn as a loop with its steps', () => {
    const { steps } = planOf(`${head}${rows(`      read: ${textOf('${{ film.title }}')}\n`)}`);
    expect(graphOf(steps).nodes.find(({ id }) => id === 'each')).toMatchObject({
      kind: 'loop',
      lines: ['for each of /base/films.csv, 6 at once'],
      blocks: [{ title: 'each film', nodes: [{ id: 'read' }] }],
    });
  });

  test('calls what its steps call, once for each row', () => {
    const steps = { ...table, [sample.name]: sample };
    const plan = planOf(`${head}${rows('      list: { use: api.call, with: { operation: maps.projects.list, input: {} } }\n')}`);
    const facts = { rows: 1_000_000, bytes: 1, sent: 1_000_000, shards: 0, arrowBytes: [0, 0] as [number, number] };
    const planned = forecast(plan, steps, { table: (step) => (step === 'each' ? facts : undefined) });
    expect(planned.steps.find(({ id }) => id === 'each')!.does).toBe('go over 1,000,000 rows');
    expect(planned.steps.find(({ id }) => id === 'list')!.calls).toMatchObject([{ min: 1_000_000, max: 1_000_000 }]);
  });

  test('holds no step that a worker cannot do for one row among thousands', () => {
    const found = (inner: string, more?: string): string[] => wrong(rows(inner, more)).map((each) => each.replace(/:.*/, ''));
    expect(found('      ask: { use: gate.approve }\n')).toContain(
      'not-in-rows steps.each.steps.ask.use gate.approve cannot stand in a loop over rows',
    );
    expect(found(`      more:\n        forEach: { items: [1] }\n        steps: { a: ${textOf('x')} }\n`)).toEqual([
      'not-in-rows steps.each.steps.more.forEach a loop cannot stand in a loop over rows',
    ]);
    expect(
      found(
        '      add: { use: dataset.append, with: { dataset: 0b3c6f7e-1c1e-4d5e-8f00-000000000000, source: films.csv, id: { row: true } } }\n',
      ),
    ).toEqual(['not-in-rows steps.each.steps.add.use dataset.append cannot stand in a loop over rows']);
    const retried = '{ use: acme.sample, onError: { transient: { retry: 3, every: 1m } } }';
    expect(found(`      a: ${retried}\n`)).toEqual([expect.stringMatching(/^not-in-rows steps.each.steps.a.onError.transient/)]);
    expect(found('      a: { use: acme.sample, onError: { notFound: tolerate } }\n')).toEqual([]);
    expect(found(`      a: ${textOf('x')}\n`, '    onError: { transient: { retry: 3, every: 1m } }\n')).toEqual([
      expect.stringMatching(/^invalid-value steps.each.onError.transient.retry a loop as a whole is not tried again/),
    ]);
  });

  test('names its rows by a column only where there are rows', () => {
    expect(wrong(`${used}  each:\n    forEach: { items: [1], key: id }\n    steps: { a: ${textOf('x')} }\n`)).toEqual([
      "invalid-value steps.each.forEach.key 'steps.each.forEach.key': a key names the rows of a table",
    ]);
  });

  test('depends on all that is done for its rows', () => {
    const hash = (text: string): string => {
      const plan = planOf(`${head}${rows(`      a: ${textOf(text)}\n`)}`);
      const step = plan.steps.find(({ id }) => id === 'each')!;
      return inputHash(step, step.with, plan, {}, 'r1');
    };
    expect(hash('x')).toBe(hash('x'));
    expect(hash('x')).not.toBe(hash('y'));
  });
});
