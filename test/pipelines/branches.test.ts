import { describe, expect, test } from 'vitest';
import { forecast } from '../../pipelines/forecast/forecast.ts';
import { steps as table } from '../../pipelines/steps/table.ts';
import { findings, planOf, wipe } from './support.ts';

const head = 'name: p\nparams: { full: { type: boolean, default: true } }\nsteps:\n';
const dataset = (slug: string, rest = ''): string => `{ use: dataset.ensure, with: { slug: "${slug}" }${rest} }`;

const wrong = (steps: string, outputs = ''): string[] =>
  findings(`${head}${steps}${outputs}`).map(({ code, path, message }) => `${code} ${path} ${message}`);

describe('a reference to a step that may have no outputs', () => {
  const may = `  a: ${dataset('a', ', when: "${{ params.full }}"')}\n`;

  test('needs a default in the outputs, and wherever the reader starts although the step was skipped', () => {
    expect(wrong(may, 'outputs: { id: "${{ steps.a.id }}" }\n')).toEqual([
      'may-be-missing outputs.id steps.a may be skipped, and then has no outputs',
    ]);
    expect(wrong(`${may}  b: ${dataset('${{ steps.a.slug }}-b', ', needs: { a: [done, skipped] }')}\n`)).toEqual([
      'may-be-missing steps.b.with.slug steps.a may be skipped, and then has no outputs',
    ]);
    expect(wrong(may, 'outputs: { id: "${{ steps.?a.id.orValue(\'none\') }}" }\n')).toEqual([]);
  });

  test('needs none where the reader is skipped with it; the outputs of that one may be missing then', () => {
    const follower = `${may}  b: ${dataset('${{ steps.a.slug }}-b')}\n`;
    expect(wrong(follower, 'outputs: { slug: "${{ params.full }}" }\n')).toEqual([]);
    expect(wrong(follower, 'outputs: { slug: "${{ steps.b.slug }}" }\n')).toEqual([
      'may-be-missing outputs.slug steps.b may be skipped, and then has no outputs',
    ]);
  });

  test('needs one where the reader begins after the failure of another step, for which this one may be skipped', () => {
    const steps = `  a: ${dataset('${{ string(params.full) }}')}\n  b: ${dataset('b')}\n`;
    const cleanup = `  c: ${dataset('${{ steps.a.slug }}-c', ', needs: { a: [done, skipped], b: [done, failed] }')}\n`;
    expect(wrong(`${steps}${cleanup}`)).toEqual(['may-be-missing steps.c.with.slug steps.a may be skipped, and then has no outputs']);
  });

  test('is one to a step whose failure is tolerated, or accepted', () => {
    const tolerated = `  a: ${dataset('${{ string(params.full) }}', ', onError: tolerate')}\n`;
    expect(wrong(`${tolerated}  b: ${dataset('${{ steps.a.slug }}-b')}\n`)).toEqual([
      'may-be-missing steps.b.with.slug steps.a may fail, which is tolerated, and then has no outputs',
    ]);
    const failed = `  a: ${dataset('${{ string(params.full) }}')}\n  b: ${dataset('${{ steps.a.slug }}-b', ', needs: { a: failed }')}\n`;
    expect(wrong(failed)).toEqual(['may-be-missing steps.b.with.slug steps.a may have failed here, and then has no outputs']);
  });
});

test('`when` is one expression that gives true or false, and `needs` name steps and ends', () => {
  expect(wrong(`  a: ${dataset('a', ', when: "${{ string(params.full) }}"')}\n`)).toEqual([
    expect.stringMatching(/^wrong-type steps\.a\.when .*true or false|^wrong-type steps\.a\.when/),
  ]);
  expect(wrong(`  a: ${dataset('a', ', when: "full: ${{ params.full }}"')}\n`)).toEqual([
    'wrong-type steps.a.when `when` is one expression that gives true or false',
  ]);
  expect(wrong(`  a: ${dataset('${{ string(params.full) }}')}\n  b: ${dataset('b', ', needs: { aa: any }')}\n`)).toEqual([
    "no-such-step steps.b.needs.aa there is no step 'aa'; did you mean 'a'?",
  ]);
  expect(wrong(`  a: ${dataset('${{ string(params.full) }}')}\n  b: ${dataset('b', ', needs: { a: don }')}\n`)).toEqual([
    expect.stringMatching(/^wrong-type steps\.b\.needs\.a .*any, done, tolerated, skipped, failed or cancelled/),
  ]);
  // Of a list it is the word that is wrong.
  expect(wrong(`  a: ${dataset('${{ string(params.full) }}')}\n  b: ${dataset('b', ', needs: { a: [doen, skipped] }')}\n`)).toEqual([
    expect.stringMatching(/^invalid-value steps\.b\.needs\.a\[0\] .*"doen"/),
  ]);
});

test('what a gate approves starts after its approval alone, and a rejection is not tolerated', () => {
  const steps = (gate: string, needs: string): string =>
    `  ok: { use: gate.approve, with: { who: "\${{ string(params.full) }}" }${gate} }\n  b: ${dataset('b', `, needs: ${needs}`)}\n`;
  expect(wrong(steps('', '{ ok: done }'))).toEqual([]);
  expect(wrong(steps('', '{ ok: [done, skipped] }'))).toEqual([
    'invalid-value steps.b.needs.ok ok approves this step, so it starts after the approval alone',
  ]);
  expect(wrong(steps(', onError: tolerate', '[ok]'))).toEqual([
    'invalid-value steps.ok.onError a rejection cannot be tolerated: what ok approves would be done all the same',
  ]);
});

test('a step follows the writers of its dataset above it, also where they were skipped', () => {
  const plan = planOf(
    `name: p
params: { full: { type: boolean } }
steps:
  dataset: { use: dataset.ensure, with: { slug: a } }
  rows: { use: dataset.append, when: "\${{ params.full }}", with: { dataset: "\${{ steps.dataset.id }}", source: a.csv, id: { row: true } } }
  map: { use: index.build, with: { dataset: "\${{ steps.dataset.id }}", embed: text } }
`,
    { params: { full: false } },
  );
  expect(plan.steps.find(({ id }) => id === 'map')).toMatchObject({
    needs: expect.arrayContaining(['rows']),
    accepts: { rows: ['done', 'tolerated', 'skipped'] },
  });
});

test('a plan counts from nothing on what may be skipped, and nothing of what is', () => {
  const plan = (when: string) =>
    planOf(`name: p
params: { full: { type: boolean, default: false } }
steps:
  first: { use: dataset.ensure, with: { slug: a } }
  second: { use: dataset.ensure, when: "${when}", with: { slug: b } }
outputs: { full: "\${{ params.full }}" }
`);
  const [first, second] = forecast(plan('${{ steps.first.created }}'), table, { table: () => undefined }).steps;
  expect(first!.reads[0]).toBeGreaterThan(0);
  expect(second!.reads[0]).toBe(0);
  expect(second!.calls.map(({ because }) => because)).toEqual(
    second!.calls.map(() => expect.stringContaining('where its `when` gives true')),
  );
  const wiping = planOf(
    'name: p\nparams: { full: { type: boolean, default: false } }\nsteps:\n  ok: { use: gate.approve }\n  wipe: { use: acme.wipe, when: "${{ params.full }}", needs: [ok] }\n  then: { use: acme.wipe, needs: [wipe, ok] }\n',
  );
  const own = { ...table, [wipe.name]: wipe };
  expect(forecast(wiping, own, { table: () => undefined })).toMatchObject({
    irreversible: [],
    steps: [{}, { does: 'skipped: its `when` gives false' }, { does: 'skipped: a need ends otherwise than it accepts' }],
  });
  expect(forecast(plan('${{ params.full }}'), table, { table: () => undefined }).steps[1]).toMatchObject({
    does: 'skipped: its `when` gives false',
    calls: [],
  });
});

test('outputs of a loop become columns: two that are one when case is ignored are refused', () => {
  const loop = (outputs: string): string =>
    `  each:\n    forEach: { items: [a, b] }\n    steps:\n      a: ${dataset('${{ string(params.full) }}')}\n    outputs: ${outputs}\n`;
  expect(wrong(loop('{ n: 1, m: 2 }'))).toEqual([]);
  expect(wrong(loop('{ n: 1, N: 2 }'))).toEqual([expect.stringMatching(/steps\.each\.outputs .*when case is ignored/)]);
});
