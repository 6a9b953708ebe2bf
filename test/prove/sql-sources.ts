import { readFile } from 'node:fs/promises';
import { createTables } from '../../child/host/create-tables.ts';
import { openEngine } from '../../child/inside/engine.ts';
import { BadInput } from '../../errors/classes.ts';
import { identify, isAlive } from '../../config/identity.ts';
import { allowedSql, bombs, refusedSql } from '../child/hostile-sql.ts';
import { createWorld } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { startText } from './support-run.ts';
import { forgetStolen, stolenLine } from './support-stolen.ts';

const pipeline = (sql: string, tables: { [table: string]: string } = { t: 't-*.csv', u: 'u.json' }): string => `
name: sql
params: { dataset: { type: slug, default: sql } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with:
      dataset: "\${{ steps.dataset.id }}"
      source:
        sql: ${JSON.stringify(sql)}
        tables: ${JSON.stringify(tables)}
      id: { row: true }
`;

/** Sums over both tables, by hand. */
const count = 'select a, count(*) as n, sum(b) as total from t group by a union all select a, 1, b from u order by all';

/** How many of the refused texts the engine of the child would run if nothing had checked them. */
async function ranUnchecked(tempDir: string): Promise<number> {
  let ran = 0;
  for (const sql of Object.values(refusedSql).flat()) {
    await using engine = await openEngine({ tempGiB: 8, tempDir, memoryMb: 256 });
    await engine.run('create table t as select i % 5 as a, i as b from range(20) as r(i); create view u as select * from t');
    await engine.run(sql).then(
      () => (ran += 1),
      () => undefined,
    );
  }
  return ran;
}

export const proof: Proof = {
  name: 'sql-sources',
  sets: ['fire'],
  what: 'a query reads its named tables and nothing else, and gives the same rows again; all else is refused before the run and in the child',
  async run({ note }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    const t = Array.from({ length: 20 }, (_, at) => ({ a: at % 5, b: at }));
    const csv = (rows: typeof t): string => `a,b\n${rows.map(({ a, b }) => `${a},${b}`).join('\n')}\n`;
    await world.write('pipelines/t-1.csv', csv(t.slice(0, 12)));
    const first = await world.write('pipelines/t-2.csv', csv(t.slice(12)));
    const u = await world.write('pipelines/u.json', [
      { a: 1, b: 100 },
      { a: 9, b: 900 },
    ]);
    const here = { t: first.replace('t-2', 't-*'), u };
    const lines: Line[] = [];
    await forgetStolen();
    const tables = createTables();
    const inChild = (sql: string): Promise<string> =>
      tables.inspect({ sql, tables: here }).then(
        () => 'accepted',
        (error: unknown) => (error instanceof BadInput ? error.verdict : String(error)),
      );
    const before = async (sql: string): Promise<boolean[]> => {
      const file = await world.pipeline(pipeline(sql));
      const [validate, plan] = [await world.portolan(['validate', file]), await world.portolan(['plan', file, '-c', 'local', '--offline'])];
      // An empty text is refused by the schema of the field.
      return [validate.code === 2 && /bad-sql|invalid-value/.test(validate.out), plan.code === 2 && /bad-sql|invalid-value/.test(plan.err)];
    };
    try {
      for (const [what, queries] of Object.entries(refusedSql)) {
        const left: string[] = [];
        for (const sql of queries) {
          const [validate, plan] = await before(sql);
          const verdict = await inChild(sql);
          if (!validate || !plan || verdict !== 'refused_expression')
            left.push(`${sql} (validate ${validate}, plan ${plan}, child ${verdict})`);
        }
        const figure = `${queries.length - left.length} of ${queries.length} refused by validate, by plan and in the child`;
        lines.push(line(what, `${figure}${left.length > 0 ? `; not: ${left.join('; ')}` : ''}`, 'all', left.length === 0));
        note(`${what}: ${figure}`);
      }
      const unchecked = await ranUnchecked(world.dir);
      lines.push(
        line(
          'control: the same texts without the check, in the locked engine',
          `${unchecked} of ${Object.values(refusedSql).flat().length} run`,
          'more than 0: the lock alone is not enough',
          unchecked > 0,
        ),
      );
      const wrongly: string[] = [];
      for (const sql of allowedSql) {
        const said = await world.portolan(['validate', await world.pipeline(pipeline(sql))]);
        // Columns without a name of their own, or of a type that a dataset has not, are another rule's.
        if (/bad-sql/.test(said.out) || (await inChild(sql)) !== 'accepted') wrongly.push(sql);
      }
      lines.push(
        line(
          'control: repeatable queries over the tables alone',
          `${allowedSql.length - wrongly.length} of ${allowedSql.length} accepted${wrongly.length > 0 ? `; not: ${wrongly.join('; ')}` : ''}`,
          'all',
          wrongly.length === 0,
        ),
      );
    } finally {
      await tables.close();
    }
    lines.push(stolenLine('a query'));

    // Past the command line: the worker's child decides for itself.
    const worker = identify(world.worker.pid())!;
    for (const sql of [
      "select * from read_text('/etc/hostname')",
      'select random() as r from t',
      "select 1; copy t to '/tmp/stolen.csv'",
    ]) {
      const { value: view, effects } = await world.effectsOf(async () =>
        (await startText(world, pipeline(sql, here), { dataset: 'past' })).ended(),
      );
      const writes = effects.filter(({ operation }) => operation.startsWith('maps.')).length;
      lines.push(
        line(
          `${sql} in a plan that nobody checked`,
          `${view.state}: ${view.error?.type}: ${view.error?.message}; ${writes} writing calls`,
          'failed as BadInput, 0 writing calls',
          view.state === 'failed' && view.error?.type === 'BadInput' && writes === 0,
        ),
      );
    }
    for (const sql of bombs.slice(0, 2)) {
      const started = performance.now();
      const view = await (await startText(world, pipeline(sql, here), { dataset: 'bomb' })).ended(180_000);
      lines.push(
        line(
          sql,
          `${view.state} after ${((performance.now() - started) / 1_000).toFixed(1)} s: ${view.error?.type}: ${view.error?.message}`,
          'failed as BadInput',
          view.state === 'failed' && view.error?.type === 'BadInput',
        ),
      );
    }
    lines.push(line('the worker meanwhile', isAlive(worker) ? `same process ${worker.pid}` : 'gone', 'same process', isAlive(worker)));

    const run = await startText(world, pipeline(count, here), { dataset: 'good' });
    const view = await run.ended();
    const output = view.steps.find(({ id }) => id === 'rows')?.output as { dataset?: string; added?: number } | undefined;
    const ids = (await run.store.readItems({ step: 'rows', status: 'added' })).map(({ item }) => item);
    const { datums } = await world.api.data.get({ project_id: output?.dataset ?? '', datum_ids: ids });
    const held = datums.map((row) => `${String(row['a'])} ${String(row['n'])} ${String(row['total'])}`);
    const wanted = [
      ...[0, 1, 2, 3, 4].map((a) => [a, 4, t.filter((row) => row.a === a).reduce((sum, { b }) => sum + b, 0)]),
      [1, 1, 100],
      [9, 1, 900],
    ];
    const same = JSON.stringify(held.toSorted()) === JSON.stringify(wanted.map((row) => row.join(' ')).toSorted());
    lines.push(
      line(
        'a query over a glob of CSV and a JSON file, run',
        `${view.state}, ${held.length} rows${same ? ' as summed by hand' : `: ${held.join(', ')}`}`,
        'the 7 rows',
        same,
      ),
    );

    const again = await (await startText(world, pipeline(count, here), { dataset: 'good' })).ended();
    const second = again.steps.find(({ id }) => id === 'rows')?.output as { added?: number; present?: number } | undefined;
    lines.push(
      line(
        'the same run again',
        `added ${second?.added}, present ${second?.present}`,
        'added 0, present 7',
        second?.added === 0 && second.present === 7,
      ),
    );
    await world.write('pipelines/t-2.csv', `${await readFile(first, 'utf8')}3,1000\n`);
    const changed = await (await startText(world, pipeline(count, here), { dataset: 'good' })).ended();
    const third = changed.steps.find(({ id }) => id === 'rows')?.output as { added?: number; present?: number } | undefined;
    lines.push(
      line(
        'one file of the glob changed',
        `added ${third?.added}, present ${third?.present}`,
        'added 1, present 6',
        third?.added === 1 && third.present === 6,
      ),
    );

    const vectors = (rows: (number[] | null)[]): Promise<string> =>
      world.write(
        'vectors.json',
        rows.map((_embeddings, n) => ({ n, _embeddings })),
      );
    const own = (source: string): string => `
name: vectors
steps:
  dataset: { use: dataset.ensure, with: { slug: own-vectors } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: ${source}, id: { row: true } } }
`;
    const sent = await (
      await startText(
        world,
        own(
          await vectors([
            [1, 0, 0.5],
            [0, 1, 0.25],
          ]),
        ),
      )
    ).ended();
    lines.push(line('own vectors', `${sent.state}${sent.error ? `: ${sent.error.message}` : ''}`, 'done', sent.state === 'done'));
    const odd = await (await startText(world, own(await vectors([[1, 0, 0.5], [0, 1, 0.25], [1, 2], null])))).ended();
    lines.push(
      line(
        'a vector of another length, and none, for the same dataset',
        `${odd.state}: ${odd.error?.message}`,
        'failed: 2 of 4 rejected',
        odd.state === 'failed' && /2 of 4 .*rejected[^]*vector of 2 numbers, expected 3/.test(odd.error?.message ?? ''),
      ),
    );
    return lines;
  },
};
