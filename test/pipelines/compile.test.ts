import { withOwn } from '../../pipelines/steps/table.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../pipelines/compile/compile.ts';
import { canonical } from '../../text/canonical-json.ts';
import { hashOf } from '../../pipelines/hash.ts';
import { distance, nearest } from '../../text/nearest.ts';
import { before, order } from '../../pipelines/compile/order.ts';
import { z } from 'zod';
import { parse } from '../../pipelines/file/parse.ts';
import type { Json } from '../../text/json.ts';
import { brief, findings, options, ownStep, planOf } from './support.ts';

const ingest = `
name: ingest
params:
  source: { type: path, default: data/movies.json }
  dataset: { type: slug, default: movies }
  n: { type: integer, default: 2 }
steps:
  tag:
    use: points.tag
    with:
      map: \${{ steps.map.id }}
      points: \${{ steps.rich.points }}
      add: tag-\${{ params.n + 1 }}-of-\${{ steps.map.points }}
    timeout: 2h
  dataset:
    use: dataset.ensure
    with:
      slug: \${{ params.dataset }}
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: \${{ params.source }}
      id: { row: true }
    tolerate: { rejected: 1% }
    window: 2
  map:
    use: index.build
    with:
      dataset: \${{steps.dataset.id}}
  rich:
    use: points.select
    needs: [rows]
    with:
      map: \${{ steps.map.id }}
outputs:
  map: \${{ steps.map.url }}
`;

describe('plan', () => {
  const plan = planOf(ingest);
  const step = (id: string) => plan.steps.find((each) => each.id === id)!;

  test('steps in the order of what they need, references and needs', () => {
    expect(plan.steps.map(({ id, needs }) => [id, needs])).toEqual([
      ['dataset', []],
      ['rows', ['dataset']],
      ['map', ['dataset', 'rows']],
      ['rich', ['map', 'rows']],
      ['tag', ['map', 'rich']],
    ]);
  });

  test('parameters and defaults are put in, what only the run knows stays', () => {
    expect(step('dataset').with).toEqual({ slug: 'movies', idField: 'id', public: false });
    expect(step('tag').with).toMatchObject({ add: 'tag-${{ params.n + 1 }}-of-${{ steps.map.points }}', again: false });
    expect(plan.params).toEqual({ source: '/base/data/movies.json', dataset: 'movies', n: 2 });
    expect(planOf(ingest.replace('-of-${{ steps.map.points }}', '')).steps.at(-1)!.with).toMatchObject({ add: 'tag-3' });
  });

  test('sources are absolute and listed; an address stays as it is', () => {
    expect(step('rows').with).toMatchObject({ source: '/base/data/movies.json' });
    expect(plan.sources).toEqual([{ step: 'rows', field: 'source', path: '/base/data/movies.json' }]);
    expect(planOf(ingest, { params: { source: 'https://example.com/a.csv' } }).sources[0]!.path).toBe('https://example.com/a.csv');
    expect(findings(ingest, { params: { source: 'ftp://example.com/a.csv' } })).toMatchObject([{ code: 'bad-source' }]);
    expect(planOf(ingest, { params: { source: '../x.csv' } }).sources[0]!.path).toBe('/x.csv');
    const written = ingest.replace('source: ${{ params.source }}', 'source: near.csv').replace(/^  source: .*\n/m, '');
    expect(planOf(written).sources).toEqual([{ step: 'rows', field: 'source', path: '/base/near.csv' }]);
    expect(planOf(written).steps.find(({ id }) => id === 'rows')!.with).toMatchObject({ source: '/base/near.csv' });
  });

  test('timeouts, tolerance, window and connections', () => {
    expect(step('tag').timeouts).toEqual({ attemptMs: 3_600_000, deadlineMs: 7_200_000 });
    expect(step('map').timeouts).toMatchObject({ pollMs: 86_400_000 });
    expect(step('rows')).toMatchObject({
      tolerate: { rejected: { share: 0.01 } },
      window: 2,
      connections: { maps: 'local' },
    });
    expect(step('tag').window).toBe(8);
  });

  test('a dataset is held by connection and slug, unless the file says otherwise', () => {
    expect(plan.concurrency).toEqual({ key: 'local/movies' });
    expect(planOf(ingest, { params: { dataset: 'b' } }).concurrency).toEqual({ key: 'local/b' });
    expect(planOf(`${ingest}concurrency: null\n`).concurrency).toBeNull();
    expect(planOf(`${ingest}concurrency: team-\${{ params.dataset }}\n`).concurrency).toEqual({ key: 'team-movies' });
    expect(planOf(`${ingest}concurrency: { when: queue }\n`).concurrency).toEqual({ key: 'local/movies', when: 'queue' });
    const both = `${ingest}concurrency: { key: "team-\${{ params.dataset }}", when: cancelOlder }\n`;
    expect(planOf(both).concurrency).toEqual({ key: 'team-movies', when: 'cancelOlder' });
  });

  test('a dataset that is written, and named by its id, is held as well; one that is only read is not', () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const by = (dataset: string, params = ''): string => `name: more\nparams: { ${params}source: { type: path, default: x.csv } }
steps: { rows: { use: dataset.append, with: { dataset: "${dataset}", source: "\${{ params.source }}", id: { row: true }, columns: { title: Title } } } }\n`;
    expect(planOf(by(id)).concurrency).toEqual({ key: `local/${id}` });
    expect(planOf(by('${{ params.dataset }}', `dataset: { type: string, default: ${id} }, `)).concurrency).toEqual({ key: `local/${id}` });
    expect(planOf(`name: read\nsteps: { map: { use: index.build, with: { dataset: ${id} } } }\n`).concurrency).toBeNull();
  });

  test('the hash is that of everything else, whatever the order of names', () => {
    const { hash, ...rest } = plan;
    expect(hash).toBe(hashOf(rest as unknown as Json));
    expect(planOf(ingest).hash).toBe(hash);
    for (const change of [{ params: { n: 3 } }, { connection: 'prod' }, { baseDir: '/other' }])
      expect(planOf(ingest, change).hash).not.toBe(hash);
    expect(planOf(ingest.replace('      slug: ${{ params.dataset }}', '      # a comment\n      slug: "${{ params.dataset }}"')).hash).toBe(
      hash,
    );
  });

  test('parameters of a command line are text and read by their type', () => {
    expect(planOf(ingest, { params: { n: '7' } }).params['n']).toBe(7);
  });
});

describe('what stops a run but not a check', () => {
  const text =
    'name: a\nparams:\n  who: { type: string }\nsteps:\n  one:\n    use: acme.sample\n    with:\n      text: ${{ params.who }}\n';
  const found = (given: object): string[] => {
    const result = compile(parse(text), { ...options, ...given });
    return 'findings' in result ? brief(result.findings) : [];
  };
  test('a parameter without a value, no connection', () => {
    expect(findings(text)).toEqual([]);
    expect(found({})).toEqual(['missing-param 3:3', 'no-connection 6:10']);
    expect(found({ params: { who: 'x' }, connection: 'local' })).toEqual([]);
    expect(compile(parse(`connection: prod\n${text}`), { ...options, params: { who: 'x' } })).toMatchObject({
      plan: { steps: [{ connections: { maps: 'prod' } }] },
    });
  });
  test('parameters that are not there or not of their type', () => {
    expect(found({ connection: 'local', params: { who: 'x', wo: 'y' } })).toEqual(['unknown-param 2:1']);
    expect(found({ connection: 'local', params: { who: 3 } })).toEqual(['bad-param 3:8']);
    for (const n of ['x', '1.5', '', '9007199254740993', ' 1', '0x10', 'NaN'])
      expect(
        findings(ingest, { params: { n } }).map(({ code }) => code),
        n,
      ).toContain('bad-param');
    for (const source of ['', 'a\0b']) expect(findings(ingest, { params: { source } }).map(({ code }) => code)).toContain('bad-param');
  });
  test('a parameter never becomes an expression', () => {
    expect(found({ connection: 'local', params: { who: '${{ steps.one.text }}' } })).toEqual(['bad-param 3:8']);
    const trick = `name: a\nsteps:\n  one:\n    use: acme.sample\n    with:\n      text: '\${{ "$" + "{{ run.id }}" }}'\n`;
    expect(planOf(trick).steps[0]!.with).toMatchObject({ text: '${{ "$" + "{{ run.id }}" }}' });
  });
  test('a plan beyond 512 KiB', () => {
    const large = `name: a\nsteps:\n  one:\n    use: acme.sample\n    with: { text: ${'x'.repeat(600_000)} }\n`;
    expect(compile(parse(large), { ...options, connection: 'local' })).toMatchObject({ findings: [{ code: 'too-large' }] });
  });
  test('a gate approves what it names or what needs it, and nothing else that comes after it', () => {
    const gated = (gate: string, end = 'needs: [mid]'): string =>
      `name: a\nsteps:\n  ok: { use: gate.approve${gate} }\n  mid: { use: acme.sample, needs: [ok] }\n  end: { use: acme.wipe, ${end} }\n`;
    expect(findings(gated('')).map(({ code, path }) => [code, path])).toEqual([['needs-approval', 'steps.end.use']]);
    expect(findings(gated(', with: { approves: [mid] }', 'needs: [ok]')).map(({ code }) => code)).toEqual(['needs-approval']);
    expect(findings(gated(', with: { approves: [ends] }')).map(({ code }) => code)).toEqual(['no-such-step', 'needs-approval']);

    const plan = planOf(gated(', with: { approves: [end] }'));
    expect(plan.steps[0]).toMatchObject({
      kind: 'gate',
      with: { expires: '7d' },
      connections: {},
      approves: [{ step: 'end', use: 'acme.wipe', acts: ['wipe, at most once'] }],
    });
    expect(plan.steps.map(({ id, needs, approved }) => [id, needs, approved])).toEqual([
      ['ok', [], undefined],
      ['mid', ['ok'], undefined],
      ['end', ['mid', 'ok'], true],
    ]);
    expect(planOf(gated('', 'needs: [ok]')).steps.at(-1)!.approved).toBe(true);
  });
  test('a gate that nothing waits for is right where it signs off what was done, or where the outputs read it alone', () => {
    const rows = (gate: string): string =>
      `name: a\nsteps:\n  data: { use: dataset.ensure, with: { slug: a } }\n  rows: { use: dataset.append, with: { dataset: "\${{ steps.data.id }}", source: a.csv, id: { column: a }, onChange: replace } }\n  ok: { use: gate.approve${gate} }\n`;
    expect(findings(rows(', with: { show: "${{ steps.rows.changed }}" }'))).toEqual([]);
    expect(findings(rows(', needs: [rows]'))).toEqual([]);
    expect(findings(rows(', needs: [data]')).map(({ code }) => code)).toEqual(['idle-gate']);
    const read = 'name: a\nsteps:\n  one: { use: acme.sample }\n  ok: { use: gate.approve }\n';
    expect(findings(`${read}outputs: { by: "\${{ steps.ok.who }}" }\n`)).toEqual([]);
    expect(findings(read).map(({ code }) => code)).toEqual(['idle-gate']);
  });
  test('whoever starts a run approves steps by their names', () => {
    const text = 'name: a\nsteps:\n  one: { use: acme.sample }\n  two: { use: acme.sample }\n';
    expect(planOf(text, { accept: ['two'] }).steps.map(({ id, approved }) => [id, approved])).toEqual([
      ['one', undefined],
      ['two', true],
    ]);
    expect(() => planOf(text, { accept: ['tow'] })).toThrow("there is no step 'tow'; did you mean 'two'?");
  });
  test('an own step does what its operations do', () => {
    const remove = ownStep({
      name: 'acme.remove',
      input: z.object({}),
      output: z.object({}),
      effect: 'idempotent',
      operations: ['maps.projects.remove'],
      run: () => ({}),
    });
    const text = 'name: a\nsteps:\n  one: { use: acme.remove }\n';
    expect(findings(text, { steps: withOwn([remove]) }).map(({ code, message }) => [code, message])).toEqual([
      ['needs-approval', expect.stringContaining('maps.projects.remove: Remove a dataset')],
    ]);
  });
  test('a call takes fields beside those of its operation as extra, and a secret only where its answer has one', () => {
    const call = (more: string): string =>
      `name: a\nsteps:\n  me:\n    use: api.call\n    with: { operation: maps.embedding.text, input: { texts: [a] }${more} }\n`;
    expect(findings(call(', extra: { tone: dry }'))).toEqual([]);
    expect(planOf(call(', extra: { tone: dry }')).steps[0]!.with).toMatchObject({ extra: { tone: 'dry' } });
    expect(findings(call(', extra: dry')).map(({ code }) => code)).toEqual(['wrong-type']);
    expect(findings(call(', secret: mine')).map(({ message }) => message)).toEqual([expect.stringContaining("'secret' is not a field")]);
  });
  test('an operation gives its types', () => {
    const call = (reference: string): string =>
      `name: a\nsteps:\n  me:\n    use: api.call\n    with: { operation: maps.projects.list }\n  two:\n    use: acme.sample\n    with:\n      text: \${{ ${reference} }}\n`;
    expect(findings(call('steps.me.result.projects[0].slug'))).toEqual([]);
    expect(brief(findings(call('steps.me.projects')))).toEqual(['no-such-output 9:17']);
  });
});

describe('steps on one dataset', () => {
  test('follow the ones above that write it; those that only read it do not wait for each other', () => {
    const [d, e] = ['0f8fad5b-d9cb-469f-a165-70867728950e', '0f8fad5b-d9cb-469f-a165-70867728950f'];
    const plan = planOf(`
name: a
steps:
  rows: { use: dataset.append, with: { dataset: ${d}, source: a.csv, id: { row: true } } }
  one: { use: index.build, with: { dataset: ${d}, embed: text } }
  two: { use: index.build, with: { dataset: ${d}, embed: title } }
  other: { use: index.build, with: { dataset: ${e}, embed: text } }
  more: { use: dataset.append, with: { dataset: ${d}, source: b.csv, id: { row: true } } }
`);
    expect(Object.fromEntries(plan.steps.map(({ id, needs }) => [id, needs]))).toEqual({
      rows: [],
      one: ['rows'],
      two: ['rows'],
      other: [],
      more: ['rows'],
    });
  });
});

test('steps that add one tag of a map and remove it follow each other; those of other tags, or of other maps, do not', () => {
  const [m, n] = ['0f8fad5b-d9cb-469f-a165-70867728950e', '0f8fad5b-d9cb-469f-a165-70867728950f'];
  const tag = (map: string, change: string): string =>
    `{ use: points.tag, with: { map: ${map}, points: "\${{ steps.some.points }}", ${change} } }`;
  const plan = planOf(`
name: a
steps:
  some: { use: points.list, with: { map: ${m}, ids: [one] } }
  add: ${tag(m, 'add: old')}
  remove: ${tag(m, 'remove: old')}
  new: ${tag(m, 'add: new')}
  elsewhere: ${tag(n, 'remove: old')}
`);
  expect(Object.fromEntries(plan.steps.map(({ id, needs }) => [id, needs]))).toEqual({
    some: [],
    add: ['some'],
    remove: ['some', 'add'],
    new: ['some'],
    elsewhere: ['some'],
  });
});

describe('order', () => {
  const graph = fc
    .integer({ min: 1, max: 12 })
    .chain((size) =>
      fc
        .array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30 })
        .map(
          (edges) =>
            new Map(
              Array.from({ length: size }, (_, id) => [
                String(id),
                [...new Set(edges.filter(([from]) => from === id).map(([, to]) => String(to)))],
              ]),
            ),
        ),
    );
  test('each after what it needs, or a cycle that is one', () => {
    fc.assert(
      fc.property(graph, (needs) => {
        const result = order(needs);
        const cyclic = [...needs.keys()].some((id) => before(id, needs).has(id));
        expect('cycle' in result).toBe(cyclic);
        if ('order' in result) {
          expect(result.order.toSorted()).toEqual([...needs.keys()].toSorted());
          for (const [index, id] of result.order.entries())
            for (const need of needs.get(id)!) expect(result.order.indexOf(need)).toBeLessThan(index);
        } else {
          expect(result.cycle.at(-1)).toBe(result.cycle[0]);
          for (let index = 0; index + 1 < result.cycle.length; index++)
            expect(needs.get(result.cycle[index]!)).toContain(result.cycle[index + 1]);
        }
      }),
    );
  });
  test('a long chain', () => {
    const chain = new Map(
      Array.from({ length: 20_000 }, (_, id) => [String(id), id === 0 ? [] : [String(id - 1)]]).toReversed() as [string, string[]][],
    );
    expect(order(chain)).toMatchObject({ order: expect.objectContaining({ length: 20_000 }) });
  });
});

describe('helpers', () => {
  test('canonical JSON does not depend on the order of names', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reversed = JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
          inner !== null && typeof inner === 'object' && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).toReversed())
            : inner,
        ) as Json;
        expect(canonical(reversed)).toBe(canonical(value as Json));
        expect(JSON.parse(canonical(value as Json))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
  test('edits are a distance', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b) === 0).toBe(a === b);
        expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
    expect(distance('dataste', 'dataset')).toBe(1);
    expect(nearest('completely', ['dataset'])).toBeUndefined();
  });
});

test('200 steps in a chain are checked', () => {
  const many = `name: many\nsteps:\n${Array.from({ length: 200 }, (_, index) => `  s${index}:\n    use: acme.sample\n    with:\n      text: \${{ ${index === 0 ? 'run.id' : `steps.s${index - 1}.text + "x"`} }}\n`).join('')}`;
  expect(findings(many)).toEqual([]);
});
