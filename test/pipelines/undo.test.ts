import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forecast } from '../../pipelines/forecast/forecast.ts';
import { graphOf } from '../../pipelines/graph/graph.ts';
import { before } from '../../pipelines/compile/order.ts';
import { endStatuses, type Plan } from '../../pipelines/plan.ts';
import { perhapsTakenBack, takenBack } from '../../pipelines/undo-ids.ts';
import { undoPlan } from '../../pipelines/undo.ts';
import { findings, options, planOf } from './support.ts';

const head = 'name: p\nsteps:\n';
const sample = (text: string): string => `{ use: acme.sample, with: { text: "${text}" } }`;
const wrong = (steps: string, more = ''): string[] =>
  findings(`${head}${steps}${more}`).map(({ code, path, message }) => `${code} ${path} ${message}`);
/** A step with an undo. */
const step = (id: string, undo: string, more = ''): string => `  ${id}: { use: acme.sample, with: { text: x }${more}, undo: ${undo} }\n`;

const ended = (plan: Plan, status: string | ((id: string) => string) = 'done') =>
  plan.steps
    .filter((each) => each.in === undefined)
    .map(({ id }) => ({ id, status: typeof status === 'string' ? status : status(id), output: { text: id } }));

describe('what is said of an undo before the run', () => {
  test('it stands in the plan beside the steps, which the run never begins, and its hash covers it', () => {
    const plan = planOf(`${head}${step('a', sample('${{ steps.a.text }}'))}${step('b', 'none')}`);
    expect(plan.steps.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(plan.undo).toMatchObject({ steps: [{ id: 'undo_a', undoes: 'a', use: 'acme.sample', needs: [] }], none: ['b'] });
    const other = planOf(`${head}${step('a', sample('y'))}${step('b', 'none')}`);
    expect(other.hash).not.toBe(plan.hash);
    expect(planOf(`${head}  a: ${sample('x')}\n`)).not.toHaveProperty('undo');
  });

  test('its input, names and types are checked like those of every step', () => {
    expect(wrong(step('a', '{ use: acme.sampel }'))).toEqual([expect.stringMatching(/^unknown-step steps\.a\.undo\.use /)]);
    expect(wrong(step('a', '{ use: acme.sample, with: { count: many } }'))).toEqual([
      expect.stringMatching(/^wrong-type steps\.a\.undo\.with\.count /),
    ]);
    expect(wrong(step('a', sample('${{ steps.a.txt }}')))).toEqual([expect.stringMatching(/^no-such-output steps\.a\.undo\.with\.text /)]);
    expect(wrong(step('a', sample('${{ params.who }}')))).toEqual([expect.stringMatching(/^no-such-param steps\.a\.undo\.with\.text /)]);
    expect(wrong(step('a', '{ use: acme.sample, needs: [a] }'))).toEqual([expect.stringMatching(/^unknown-field steps\.a\.undo\.needs /)]);
    expect(wrong(`${step('a', sample('x'))}  undo_a: ${sample('x')}\n`)).toEqual([expect.stringMatching(/^duplicate-field /)]);
  });

  test('it reads the step itself and what that stands on, and nothing that may end later', () => {
    const two = (more: string): string => `  first: ${sample('x')}\n${step('a', sample('${{ steps.first.text }}'), more)}`;
    expect(wrong(two(', needs: [first]'))).toEqual([]);
    expect(wrong(two(''))).toEqual([expect.stringMatching(/^no-such-step steps\.a\.undo\.with\.text 'a' does not stand on 'first'/)]);
  });

  test('it is no step of the same kind with the same input', () => {
    const apply = (differences: string): string => `{ use: budgets.apply, with: { differences: "\${{ ${differences} }}" } }`;
    const file = (back: string): string =>
      `  was: { use: budgets.compare, with: { desired: was.csv } }
  will: { use: budgets.compare, with: { desired: will.csv } }
  all: { use: budgets.apply, needs: [was], with: { differences: "\${{ steps.will.differences }}" }, undo: ${apply(back)} }
`;
    expect(wrong(file('steps.will.differences'))).toEqual([
      expect.stringMatching(/^invalid-value steps\.all\.undo 'all' is taken back by what it does itself: budgets\.apply /),
    ]);
    expect(wrong(file('steps.was.differences'))).toEqual([]);
  });

  test('what may have no outputs is read with a default: a tolerated step itself, and a need of which other ends are accepted', () => {
    const tolerated = (text: string): string[] => wrong(step('a', sample(text), ', onError: tolerate'));
    expect(tolerated('${{ steps.a.text }}')).toEqual([expect.stringMatching(/^may-be-missing steps\.a\.undo\.with\.text /)]);
    expect(tolerated("${{ steps.?a.text.orValue('') }}")).toEqual([]);
    const flag = '  flag: { use: acme.sample, with: { flag: true } }\n';
    const first = `${flag}  first: { use: acme.sample, when: "\${{ steps.flag.count > 0 }}", with: { text: x } }\n`;
    const reads = (needs: string): string[] => wrong(`${first}${step('a', sample('${{ steps.first.text }}'), `, needs: ${needs}`)}`);
    expect(reads('[first]')).toEqual([]);
    expect(reads('{ first: any }')).toEqual([expect.stringMatching(/^may-be-missing steps\.a\.undo\.with\.text /)]);
  });

  test('a person who is to take a step back may say no: nothing is done about it, nor is it tolerated', () => {
    const asked = (onError: string): string[] => wrong(step('a', `{ use: gate.approve, with: { expires: 1d }, onError: ${onError} }`));
    const no = 'invalid-value steps.a.undo.onError a rejection cannot be tolerated: a would count as taken back';
    expect(asked('fail')).toEqual([]);
    for (const onError of ['tolerate', '{ else: { retry: 2, every: 1h } }', `{ else: { steps: { b: ${sample('x')} } } }`])
      expect(asked(onError)).toEqual([no]);
  });

  test('it stands at a step of the run: not in a loop, whose own undo goes over what its turns gave, nor under finally', () => {
    const loop = (inner: string, outer: string): string =>
      `  each:\n    forEach: { items: [1, 2] }\n    outputs: { text: "\${{ steps.one.text }}" }\n    steps: { one: { use: acme.sample, with: { text: x }${inner} } }\n${outer}`;
    const [found] = findings(`${head}${loop(`, undo: ${sample('x')}`, '')}`);
    expect(found).toMatchObject({ code: 'invalid-value', path: 'steps.each.steps.one.undo' });
    expect(found!.remedy).toContain('each: { undo: { forEach: { rows: "${{ steps.each.results }}" }');
    const right = (steps: string): string =>
      loop('', `    undo: { forEach: { items: "\${{ steps.each.rows }}", as: row }, steps: { ${steps} } }\n`);
    const back = (more: string): string => `back: { use: acme.sample, with: { text: "\${{ row.text }}" }${more} }`;
    expect(wrong(right(back('')))).toEqual([]);
    // Its own steps are read as those of every loop.
    const then = 'then: { use: acme.sample, needs: { back: any }, with: { text: "${{ steps.back.text }}" } }';
    expect(wrong(right(`${back(', when: "${{ row.text == \'x\' }}"')}, ${then}`))).toEqual([
      expect.stringMatching(/^may-be-missing steps\.each\.undo\.steps\.then\.with\.text /),
    ]);
    expect(planOf(head + right(back(''))).undo!.steps).toMatchObject([
      { id: 'undo_each', undoes: 'each', kind: 'loop' },
      { id: 'back', in: 'undo_each' },
    ]);
    expect(wrong(`  a: ${sample('x')}\nfinally:\n${step('last', sample('x'))}`)).toEqual([
      expect.stringMatching(/^invalid-value finally\.last\.undo 'last' ends a run/),
    ]);
  });

  test('onFailure has something to undo, and what it does that cannot be taken back was approved before', () => {
    expect(wrong(step('a', 'none'), 'onFailure: undo\n')).toEqual([expect.stringMatching(/^invalid-value onFailure no step of this file/)]);
    const wipes = step('a', '{ use: acme.wipe }', ', needs: [ok]');
    const gate = (approves: string): string => `  ok: { use: gate.approve${approves} }\n`;
    expect(wrong(gate('') + wipes)).toEqual([]);
    expect(wrong(gate('') + wipes, 'onFailure: undo\n')).toEqual([expect.stringMatching(/^needs-approval steps\.a\.undo\.use /)]);
    const approved = `${head}${gate(', with: { approves: [undo_a] }')}${step('a', '{ use: acme.wipe }')}onFailure: undo\n`;
    expect(findings(approved)).toEqual([]);
    const plan = planOf(approved);
    // Where the step is done its undo was approved.
    expect(plan.steps.find(({ id }) => id === 'a')!.needs).toEqual(['ok']);
    expect(plan.steps.find(({ id }) => id === 'ok')!.approves).toMatchObject([{ step: 'undo_a', use: 'acme.wipe' }]);
    expect(plan.undo).toMatchObject({ onFailure: true, steps: [{ id: 'undo_a', approved: true }] });
  });

  test('plan names each undo, and a picture shows it at its step', () => {
    const plan = planOf(`${head}${step('a', '{ use: acme.wipe }')}${step('b', 'none')}`);
    expect(forecast(plan, options.steps as Parameters<typeof forecast>[1], { table: () => undefined }).undo).toMatchObject({
      steps: [{ step: 'a', by: 'undo_a', use: 'acme.wipe', acts: [expect.any(String)] }],
      none: ['b'],
    });
    expect(graphOf(plan.steps, undefined, plan.undo).nodes.map(({ lines }) => lines.at(-1))).toEqual(['undo: acme.wipe', 'undo: none']);
  });
});

describe('the plan of an undo', () => {
  test('gives a step its undo with the results that it reads, by the run that is taken back', () => {
    const plan = planOf(`${head}${step('a', sample('${{ steps.a.text }} of ${{ run.id }}'))}${step('b', sample('x'), ', needs: [a]')}`);
    const undo = undoPlan(plan, { run: 'p-1', ended: ended(plan) })!;
    expect(undo.undoes).toEqual({ run: 'p-1', results: { a: { text: 'a' } } });
    expect(undo.steps.map(({ id, needs }) => [id, needs])).toEqual([
      ['undo_b', []],
      ['undo_a', ['undo_b']],
    ]);
    expect(undo.hash).not.toBe(plan.hash);
  });

  test('leaves out what another run has done, what was taken back before, and what was skipped or failed', () => {
    const plan = planOf(`${head}${['a', 'b', 'c', 'd'].map((id) => step(id, sample('x'))).join('')}`);
    const states = { a: 'done', b: 'skipped', c: 'failed', d: 'tolerated' } as Record<string, string>;
    const all = ended(plan, (id) => states[id]!);
    const of = (more: Partial<Parameters<typeof undoPlan>[1]>) =>
      undoPlan(plan, { run: 'p-1', ended: all, ...more })?.steps.map(({ id }) => id);
    expect(of({})).toEqual(['undo_a', 'undo_d']);
    expect(of({ already: new Set(['d']) })).toEqual(['undo_a']);
    expect(of({ ended: all.map((each) => (each.id === 'a' ? { ...each, reusedFrom: 'p-0' } : each)) })).toEqual(['undo_d']);
    expect(of({ already: new Set(['a', 'd']) })).toBeUndefined();
  });

  test('holds the key of its run, approves what was accepted, and alerts to failures alone', () => {
    const plan = planOf(
      `${head}${step('a', '{ use: acme.wipe }')}concurrency: { key: k, when: cancelOlder }\nnotify: { on: [failed, recovered], to: [ops] }\n`,
    );
    const undo = undoPlan(plan, { run: 'p-1', ended: ended(plan), accept: ['undo_a'] })!;
    expect(undo).toMatchObject({ concurrency: { key: 'k' }, notify: { on: ['failed'], to: ['ops'] }, steps: [{ approved: true }] });
    expect(undo.concurrency).not.toHaveProperty('when');
  });

  /** Steps that need some of those above them, which of them say an undo, and how they ended. */
  const runs = fc
    .array(fc.record({ needs: fc.array(fc.nat(30), { maxLength: 3 }), undo: fc.boolean(), status: fc.constantFrom(...endStatuses) }), {
      minLength: 1,
      maxLength: 14,
    })
    .map((all) =>
      all.map(({ needs, undo, status }, at) => ({
        id: `s${at}`,
        needs: at === 0 ? [] : [...new Set(needs.map((need) => `s${need % at}`))],
        undo,
        status,
      })),
    );

  test('takes back exactly what is done, each after all that stood on it, whatever the plan', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const plan = planOf(
          head +
            all
              .map(({ id, needs, undo }) =>
                undo
                  ? step(id, sample('x'), `, needs: [${needs.join(', ')}]`)
                  : `  ${id}: { use: acme.sample, with: { text: x }, needs: [${needs.join(', ')}] }\n`,
              )
              .join(''),
        );
        const states = new Map(all.map(({ id, status }) => [id, status as string]));
        const undo = undoPlan(plan, { run: 'p-1', ended: ended(plan, (id) => states.get(id)!) });
        const expected = all.filter((each) => each.undo && ['done', 'tolerated'].includes(each.status)).map(({ id }) => id);
        const order = undo?.steps.map(({ undoes }) => undoes!) ?? [];
        expect(order.toSorted()).toEqual(expected.toSorted());
        const needs = new Map(plan.steps.map(({ id, needs: of }) => [id, of]));
        const waits = new Map(undo?.steps.map(({ id, needs: of }) => [id, of]) ?? []);
        for (const one of order)
          for (const other of order)
            if (before(one, needs).has(other)) {
              expect(order.indexOf(one)).toBeLessThan(order.indexOf(other));
              expect(waits.get(`undo_${other}`)).toContain(`undo_${one}`);
            } else expect(waits.get(`undo_${other}`)).not.toContain(`undo_${one}`);
        // Taken back once, nothing is left.
        const views = order.map((id) => ({ id: `undo_${id}`, status: 'done' }));
        const again = { run: 'p-1', ended: ended(plan, (id) => states.get(id)!), already: new Set(takenBack(views)) };
        expect(undoPlan(plan, again)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  test('counts as taken back what is done, tolerated or was nothing to take back, and no step of a loop', () => {
    const steps = [
      { id: 'undo_a', status: 'done' },
      { id: 'undo_b', status: 'failed' },
      { id: 'undo_c', status: 'skipped', skipped: { because: 'when' } },
      { id: 'undo_d', status: 'skipped', skipped: { because: 'needs' } },
      { id: 'undo_e', status: 'tolerated' },
      { id: 'undo_e[1].undo_x', status: 'done' },
      { id: 'undo_f', status: 'running' },
      { id: 'undo_g', status: 'waiting' },
    ];
    expect(takenBack(steps)).toEqual(['a', 'c', 'e']);
    // Nobody knows what became of a step that was under way when its workflow was terminated.
    expect(perhapsTakenBack(steps)).toEqual(['a', 'c', 'e', 'f']);
  });
});

test('an editor knows the forms of an undo', () => {
  const schema = JSON.parse(readFileSync(new URL('../../docs/pipeline.schema.json', import.meta.url), 'utf8')) as {
    $defs: Record<string, any>;
  };
  expect(schema.$defs['step'].properties.undo).toMatchObject({ $ref: '#/$defs/undo' });
  expect(schema.$defs['undo'].anyOf[1].properties).not.toHaveProperty('needs');
});
