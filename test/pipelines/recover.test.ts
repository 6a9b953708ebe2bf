import { describe, expect, test } from 'vitest';
import { errorClasses, reactionTo } from '../../pipelines/error-classes.ts';
import { forecast } from '../../pipelines/forecast/forecast.ts';
import { steps as table, withOwn } from '../../pipelines/steps/table.ts';
import { findings, planOf, sample as sampleStep } from './support.ts';

const head =
  'name: p\nparams: { full: { type: boolean, default: true } }\nsteps:\n  flag: { use: acme.sample, with: { flag: "${{ params.full }}" } }\n';
const wrong = (steps: string, outputs = ''): string[] =>
  findings(`${head}${steps}${outputs}`).map(({ code, path, message }) => `${code} ${path} ${message}`);
const sample = (onError: string): string => `  a: { use: acme.sample, with: { text: x }, onError: ${onError} }\n`;

describe('onError by the class of the error', () => {
  test('is what the plan holds, with the tries and the pause before each of them', () => {
    const { steps } = planOf(
      `${head}${sample('{ transient: { retry: 3, every: 10m, then: tolerate }, forbidden: fail, else: tolerate }')}  b: { use: acme.sample, with: { text: x }, onError: tolerate }\n`,
    );
    expect(steps.map(({ id, onError }) => [id, onError])).toEqual([
      ['flag', undefined],
      [
        'a',
        {
          transient: { does: 'tolerate', retry: { times: 3, everyMs: 600_000 } },
          forbidden: { does: 'fail' },
          else: { does: 'tolerate' },
        },
      ],
      ['b', { else: { does: 'tolerate' } }],
    ]);
  });

  test('knows its classes, and none for what nobody knows', () => {
    expect(wrong(sample('{ transiant: tolerate }'))).toEqual([
      expect.stringMatching(/unknown-field steps\.a\.onError\.transiant .*did you mean 'transient'/),
    ]);
    expect(wrong(sample('{ undecided: tolerate }'))).toEqual([expect.stringMatching(/^unknown-field steps\.a\.onError\.undecided/)]);
    expect(wrong(sample('{ else: { retry: 0, every: 1s } }'))).toEqual([
      expect.stringMatching(/^invalid-value steps\.a\.onError\.else\.retry/),
    ]);
    expect(wrong(sample('{ else: { retry: 2 } }'))).toEqual([expect.stringMatching(/^missing-field steps\.a\.onError\.else\.every/)]);
    expect(wrong(sample('{ else: { retry: 2, every: soon } }'))).toEqual([
      expect.stringMatching(/^invalid-value steps\.a\.onError\.else\.every/),
    ]);
  });

  test('a step whose failure is tolerated by its class may have no outputs; one that is tried again has them', () => {
    const reads = 'outputs: { x: "${{ steps.a.text }}" }\n';
    expect(wrong(sample('{ transient: tolerate }'), reads)).toEqual([
      'may-be-missing outputs.x steps.a may fail, which is tolerated, and then has no outputs',
    ]);
    expect(wrong(sample('{ transient: { retry: 2, every: 1s } }'), reads)).toEqual([]);
    expect(wrong(sample('{ transient: { retry: 2, every: 1s, then: tolerate } }'), reads)).toHaveLength(1);
  });

  test('a loop as a whole is not tried again, and a gate has one decision', () => {
    const loop =
      '  each:\n    forEach: { items: [1] }\n    onError: { else: { retry: 2, every: 1s } }\n    steps: { a: { use: acme.sample, with: { count: "${{ item }}" } } }\n';
    expect(wrong(loop)).toEqual([
      expect.stringMatching(/^invalid-value steps\.each\.onError\.else\.retry a loop as a whole is not tried again/),
    ]);
    const gate =
      '  ask: { use: gate.approve, onError: { else: { retry: 2, every: 1s } } }\n  a: { use: acme.sample, needs: [ask], with: { text: x } }\n';
    expect(wrong(gate)).toEqual([expect.stringMatching(/^invalid-value steps\.ask\.onError a rejection cannot be tolerated/)]);
  });
});

describe('steps that are done about a failure', () => {
  const handled = (text: string, more = ''): string =>
    `  a:\n    use: acme.sample\n    with: { text: x }\n    onError: { transient: { retry: 1, every: 1s, steps: { log: { use: acme.sample, with: { text: "${text}" } }${more} } } }\n`;

  test('stand in the plan beside what fails, and read why it failed', () => {
    const { steps } = planOf(
      `${head}${handled('${{ steps.a.error.type + steps.flag.text }}', ', then: { use: acme.sample, with: { text: "${{ steps.log.text }}" } }')}`,
    );
    expect(steps.map(({ id, in: of, on, needs }) => ({ id, of, on, needs }))).toEqual([
      { id: 'flag', of: undefined, on: undefined, needs: [] },
      { id: 'a', of: undefined, on: undefined, needs: ['flag'] },
      { id: 'log', of: 'a', on: 'transient', needs: [] },
      { id: 'then', of: 'a', on: 'transient', needs: ['log'] },
    ]);
    expect(steps[1]!.onError).toEqual({ transient: { does: 'steps', retry: { times: 1, everyMs: 1_000 } } });
  });

  test('have names of their own: outputs of what failed are not there, and nobody else reads theirs', () => {
    expect(wrong(handled('${{ steps.a.text }}'))).toEqual([
      expect.stringMatching(/^no-such-output .*steps\.a has no output 'text'; it has error/),
    ]);
    expect(wrong(handled('${{ steps.a.error.typ }}'))).toEqual([
      expect.stringMatching(/^no-such-output .*did you mean|^no-such-output .*type, message/),
    ]);
    expect(wrong(handled('x'), 'outputs: { x: "${{ steps.log.text }}" }\n')).toEqual([
      "no-such-step outputs.x 'log' is done only where 'a' fails, and can be read there only",
    ]);
    expect(wrong(handled('x'), 'outputs: { x: "${{ steps.a.text }}" }\n')).toEqual([
      'may-be-missing outputs.x steps.a may fail, which is tolerated, and then has no outputs',
    ]);
    expect(wrong(handled('x').replace('every: 1s, ', ''))).toEqual([expect.stringMatching(/retry and every stand together/)]);
    expect(wrong(`${handled('x')}  log: { use: acme.sample, with: { text: x } }\n`)).toEqual([
      expect.stringMatching(/^duplicate-field steps.log/),
    ]);
  });

  test('send nothing at least, and count towards what a run may send at most', () => {
    const text = `name: p\nparams: { slug: { type: slug, default: x } }\nsteps:\n  a:\n    use: dataset.ensure\n    with: { slug: "\${{ params.slug }}" }\n    onError: { else: { steps: { b: { use: dataset.ensure, with: { slug: other } } } } }\n`;
    const { steps } = forecast(planOf(text), table, { table: () => undefined });
    expect(steps.map(({ id, writing }) => [id, writing])).toEqual([
      ['a', [0, 1]],
      ['b', [0, 1]],
    ]);
    const call = 'use: api.call, with: { operation: maps.projects.list, input: {} }';
    const called = forecast(planOf(`${head}  a: { ${call}, onError: { else: { steps: { b: { ${call} } } } } }\n`), withOwn([sampleStep]), {
      table: () => undefined,
    });
    expect(called.steps.slice(1).map(({ id, calls: [first] }) => [id, first?.min, first?.max])).toEqual([
      ['a', 1, 1],
      ['b', 0, 1],
    ]);
  });
});

test('a failure is of the first class that the file names and that it belongs to, and what nobody knows is of none', () => {
  const all = { ...Object.fromEntries(Object.keys(errorClasses).map((name) => [name, { does: 'tolerate' as const }])) };
  const status = (code: number) => ({ type: 'ApiError', details: { status: code } });
  const classOf = (failure: { type: string; details?: { status: number } }): string[] =>
    Object.entries(errorClasses).flatMap(([name, { is }]) => (is(failure) ? [name] : []));
  expect(classOf(status(404))).toEqual(['notFound', 'refused']);
  expect(classOf(status(410))).toEqual(['notFound', 'refused']);
  expect(classOf(status(401))).toEqual(['forbidden', 'refused']);
  expect(classOf(status(403))).toEqual(['forbidden', 'refused']);
  expect(classOf(status(408))).toEqual(['transient', 'refused']);
  expect(classOf(status(422))).toEqual(['refused']);
  expect(classOf(status(500))).toEqual(['transient']);
  expect(classOf(status(503))).toEqual(['transient']);
  expect(classOf(status(429))).toEqual(['transient', 'refused']);
  expect(classOf({ type: 'TimeoutFailure' })).toEqual(['transient']);
  expect(classOf({ type: 'ServiceFailed' })).toEqual(['service']);
  expect(classOf({ type: 'BadInput' })).toEqual(['input']);
  expect(classOf({ type: 'expression-result' })).toEqual(['input']);
  expect(reactionTo({ refused: { does: 'fail' }, else: { does: 'tolerate' } }, status(404))).toMatchObject({ does: 'fail' });
  expect(reactionTo({ ...all, notFound: { does: 'fail' } }, status(404))).toMatchObject({ does: 'fail' });
  for (const type of ['Undecided', 'Inconclusive']) {
    expect(classOf({ type })).toEqual([]);
    expect(reactionTo({ ...all, else: { does: 'tolerate', retry: { times: 1, everyMs: 1 } } }, { type })).toEqual({ does: 'fail' });
  }
});

describe('defaults of a file', () => {
  const file = (defaults: string, steps: string): string => `name: p\ndefaults: ${defaults}\nsteps:\n${steps}`;
  const slug = (id: string, more = ''): string => `  ${id}: { use: dataset.ensure, with: { slug: ${id} }${more} }\n`;

  test('hold for steps that do not say it themselves; those of one name count before the rest', () => {
    const text = file(
      '{ timeout: 2h, onError: { transient: { retry: 2, every: 1m } }, use: { acme.sample: { timeout: 3h } } }',
      `${slug('a')}${slug('b', ', timeout: 1m, onError: tolerate')}  c: { use: acme.sample, with: { text: x } }\n  ask: { use: gate.approve, needs: [c] }\n`,
    );
    const retried = { transient: { does: 'fail', retry: { times: 2, everyMs: 60_000 } } };
    expect(planOf(text).steps.map(({ id, timeouts, onError }) => [id, timeouts.deadlineMs, onError])).toEqual([
      ['a', 7_200_000, retried],
      ['b', 60_000, { else: { does: 'tolerate' } }],
      ['c', 10_800_000, retried],
      ['ask', expect.any(Number), undefined],
    ]);
  });

  test('say nothing of a failure of what takes a step back: tolerated, it would count as taken back', () => {
    const undo = (more = ''): string => `, undo: { use: acme.sample, with: { text: y }${more} }`;
    const text = file('{ timeout: 2h, onError: tolerate }', `${slug('a', undo())}${slug('b', undo(', onError: tolerate'))}`);
    expect(planOf(text).undo!.steps.map(({ id, timeouts, onError }) => [id, timeouts.deadlineMs, onError])).toEqual([
      ['undo_a', 7_200_000, undefined],
      ['undo_b', 7_200_000, { else: { does: 'tolerate' } }],
    ]);
  });

  test('are mistakes where no step takes them', () => {
    const found = (defaults: string, steps = slug('a')): string[] =>
      findings(file(defaults, steps)).map(({ code, path, message }) => `${code} ${path} ${message}`);
    expect(found('{ window: 4 }')).toEqual(["unused-default defaults.window no step takes this 'window': none could, or each has its own"]);
    // One name that no step has, however much stands under it.
    expect(found('{ use: { dataset.append: { timeout: 2h, window: 4, onError: tolerate } } }')).toEqual([
      expect.stringContaining('no step of this file is dataset.append'),
    ]);
    expect(found('{ timeout: 1h }', slug('a', ', timeout: 2h'))).toEqual([expect.stringMatching(/^unused-default defaults\.timeout/)]);
    expect(found('{ use: { dataset.ensur: { timeout: 1h } } }')).toEqual([
      expect.stringMatching(/no step of this file is dataset\.ensur; did you mean 'dataset\.ensure'/),
    ]);
    expect(found('{ onError: { else: { steps: { b: { use: dataset.ensure } } } } }')).not.toEqual([]);
    expect(found('{ tmeout: 1h }')).toEqual([expect.stringMatching(/^unknown-field defaults\.tmeout .*did you mean 'timeout'/)]);
    expect(found('{ timeout: 1h }')).toEqual([]);
  });
});
