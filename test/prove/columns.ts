import { DuckDBInstance } from '@duckdb/node-api';
import { createTables } from '../../child/host/create-tables.ts';
import { BadInput } from '../../errors/classes.ts';
import { identify, isAlive } from '../../config/identity.ts';
import { createWorld } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { startText } from './support-run.ts';
import { forgetStolen, isStolen, stolenLine } from './support-stolen.ts';

/** Expressions that read more than the row, change something, or are no expression, by what they try. */
const refused: Record<string, string[]> = {
  'sub-select': [
    '(select 1)',
    '(select max(gross) from source_shape)',
    'gross in (select 1)',
    'exists(select 1)',
    "(from read_text('keys.txt'))",
  ],
  'file functions': [
    "read_text('/etc/hostname')",
    "read_csv('/etc/passwd')",
    "read_blob('/etc/hostname')",
    "glob('/etc/*')",
    "parquet_scan('x.parquet')",
    "sniff_csv('/etc/passwd')",
    "getenv('HOME')",
  ],
  attach: ["attach '/tmp/other.db'", "attach '/tmp/other.db' as other", 'detach memory'],
  copy: ["copy (select 1) to '/tmp/stolen.csv'", "(copy (select 1) to '/tmp/stolen.csv')", "export database '/tmp/stolen'"],
  install: ['install httpfs', 'load httpfs', "(install 'httpfs')", "set memory_limit='100GB'", 'pragma version'],
  aggregates: [
    'sum(gross)',
    'count(*)',
    'max(gross)',
    'list(title)',
    "string_agg(title, ',')",
    'any_value(gross)',
    'row_number() over ()',
    'sum(gross) over ()',
    'unnest([1, 2])',
    'generate_subscripts([1], 1)',
  ],
  volatile: [
    'random()',
    'uuid()',
    'gen_random_uuid()',
    'now()',
    'current_timestamp',
    'today()',
    'current_date',
    "nextval('s')",
    'setseed(0.5)',
    "query('select 1')",
    "query_table('x')",
  ],
  'injection by )': ['gross) from source_shape --', '1), (2', 'gross) as x, (gross', '1) union select (2', 'gross)::varchar || (gross'],
  'injection by ;': ['1; drop table x', 'gross; select 1', "1); copy (select 1) to '/tmp/stolen.csv'; --", ';', 'gross;'],
};

/** Shows that not everything is refused. */
const allowed = [
  'gross * 2',
  'upper(title)',
  "coalesce(title, 'none')",
  "case when gross > 1 then 'much' else 'little' end",
  'gross::varchar',
  'len(list_filter([1, 2, 3], x -> x > 1))',
  "title || ')' || ';'",
];

/** How the child says no. */
const verdicts = ['refused_expression', 'bad_input'];

const bomb = 'len(range(1000000000))';

/** How many of the refused expressions DuckDB would run in the place of a column. */
async function ranUnchecked(): Promise<number> {
  let ran = 0;
  for (const expression of Object.values(refused).flat()) {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run("create table rows as select 'Up' as title, 1 as gross");
    await connection.run(`create table mapped as select (${expression}) as value from rows`).then(
      () => (ran += 1),
      () => undefined,
    );
    connection.closeSync();
    instance.closeSync();
  }
  return ran;
}

const pipeline = (expression: string): string => `
name: columns
params: { dataset: { type: slug, default: columns } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with:
      dataset: "\${{ steps.dataset.id }}"
      source: ../rows.json
      id: { row: true }
      columns:
        value: ${JSON.stringify(expression)}
`;

export const proof: Proof = {
  name: 'columns',
  sets: ['short', 'shape'],
  what: 'column expressions that reach beyond their row are refused before the run and again in the child',
  async run({ note }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    const source = await world.write('rows.json', [
      { title: 'Up', gross: 1 },
      { title: 'Heat', gross: 2 },
    ]);
    const lines: Line[] = [];
    await forgetStolen();
    const tables = createTables();
    const inChild = (expression: string): Promise<string> =>
      tables
        .shard({
          source,
          into: `${world.dir}/out`,
          id: { row: true },
          columns: { value: expression },
          projectId: 'p',
          idField: 'id',
          maxRows: 10,
          maxBytes: 1_000_000,
        })
        .then(
          () => 'accepted',
          (error: unknown) => (error instanceof BadInput ? error.verdict : String(error)),
        );
    const before = async (expression: string): Promise<{ validate: boolean; plan: boolean }> => {
      const file = await world.pipeline(pipeline(expression));
      const [validate, plan] = [await world.portolan(['validate', file]), await world.portolan(['plan', file, '-c', 'local'])];
      return {
        validate: validate.code === 2 && validate.out.includes('bad-column'),
        plan: plan.code === 2 && plan.err.includes('bad-column'),
      };
    };
    try {
      for (const [what, expressions] of Object.entries(refused)) {
        const left: string[] = [];
        for (const expression of expressions) {
          const { validate, plan } = await before(expression);
          const verdict = await inChild(expression);
          if (!validate || !plan || !verdicts.includes(verdict))
            left.push(`${expression} (validate ${validate}, plan ${plan}, child ${verdict})`);
        }
        lines.push(
          line(
            what,
            `${expressions.length - left.length} of ${expressions.length} refused by validate, by plan and in the child${left.length > 0 ? `; not: ${left.join('; ')}` : ''}`,
            'all',
            left.length === 0,
          ),
        );
        note(lines.at(-1)!.figure);
      }
      const wrongly: string[] = [];
      for (const expression of allowed) {
        const { validate, plan } = await before(expression);
        if (validate || plan || (await inChild(expression)) !== 'accepted') wrongly.push(expression);
      }
      lines.push(
        line(
          'control: expressions of the row alone',
          `${allowed.length - wrongly.length} of ${allowed.length} accepted${wrongly.length > 0 ? `; not: ${wrongly.join('; ')}` : ''}`,
          'all',
          wrongly.length === 0,
        ),
      );
    } finally {
      await tables.close();
    }

    lines.push(stolenLine('an expression'));
    const unchecked = await ranUnchecked();
    lines.push(
      line(
        'control: the same expressions without any check',
        `${unchecked} of ${Object.values(refused).flat().length} run, ${isStolen() ? 'a file is written' : 'no file is written'}`,
        'more than 0, a file is written',
        unchecked > 0 && isStolen(),
      ),
    );
    await forgetStolen();

    // Past the command line: the worker's child decides for itself.
    const worker = identify(world.worker.pid())!;
    for (const expression of ["read_text('/etc/hostname')", 'sum(gross)', '1); drop table x; --']) {
      const { value: view, effects } = await world.effectsOf(async () =>
        (await startText(world, pipeline(expression).replace('../rows.json', source), { dataset: 'past' })).ended(),
      );
      const writes = effects.filter(({ operation }) => operation === 'maps.data.addArrow').length;
      lines.push(
        line(
          `${expression} in a plan that nobody checked`,
          `${view.state}: ${view.error?.type}: ${view.error?.message}; ${writes} rows calls`,
          'failed as BadInput, 0 rows calls',
          view.state === 'failed' && view.error?.type === 'BadInput' && writes === 0,
        ),
      );
    }

    const started = performance.now();
    const view = await (await startText(world, pipeline(bomb).replace('../rows.json', source), { dataset: 'bomb' })).ended(120_000);
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    lines.push(
      line(
        bomb,
        `${view.state} after ${seconds} s: ${view.error?.type}: ${view.error?.message}`,
        'failed as BadInput',
        view.state === 'failed' && view.error?.type === 'BadInput',
      ),
    );
    lines.push(line('the worker meanwhile', isAlive(worker) ? `same process ${worker.pid}` : 'gone', 'same process', isAlive(worker)));
    const next = await (await startText(world, pipeline('gross * 2').replace('../rows.json', source), { dataset: 'next' })).ended();
    lines.push(line('the next run', next.state, 'done', next.state === 'done'));
    return lines;
  },
};
