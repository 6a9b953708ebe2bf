import { chmod } from 'node:fs/promises';
import { freePort } from '../../dev/ports.ts';
import { createWorld, type Said, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';

const steps = {
  dataset: 'use: dataset.ensure, with: { slug: "${{ params.dataset }}" }',
  rows: 'use: dataset.append, with: { dataset: "${{ steps.dataset.id }}", source: "${{ params.source }}", id: { column: key } }',
};
const pipeline = (change: Partial<Record<'dataset' | 'rows', string>> = {}, more = ''): string => `
name: bad
params: { dataset: { type: slug, default: bad }, source: { type: path, default: ../good.json } }
steps:
  dataset: { ${change.dataset ?? steps.dataset} }
  rows: { ${change.rows ?? steps.rows} }
${more}`;

type Case = { what: string; code: number; says: RegExp; make(world: World): Promise<Said> };

/** Runs a text as a person would: without JSON, without a terminal. */
const run = async (
  world: World,
  text: string,
  params: Record<string, string> = {},
  connection = 'local',
  more: string[] = [],
): Promise<Said> =>
  world.portolan([
    'run',
    await world.pipeline(text),
    '-c',
    connection,
    ...Object.entries(params).flatMap(([name, value]) => ['-p', `${name}=${value}`]),
    ...more,
  ]);

/** A run that fails, and what `why` says of it. */
const runAndAsk = async (world: World, text: string, params: Record<string, string>, connection: string): Promise<Said> => {
  const said = await run(world, text, params, connection, ['--no-check']);
  const id = /run (bad-[\w-]+)/.exec(said.out)?.[1] ?? '';
  return { ...said, err: `${said.err}\n${(await world.portolan(['why', id])).out}` };
};

const rows = (count: number): { key: string; n: number }[] => Array.from({ length: count }, (_, at) => ({ key: `k${at}`, n: at }));

const cases: Case[] = [
  {
    what: 'unknown step',
    code: 2,
    says: /:5:\d+ +unknown-step +.*'dataset\.ensrue'.*did you mean 'dataset\.ensure'\?/,
    make: (world) => run(world, pipeline({ dataset: steps.dataset.replace('ensure', 'ensrue') })),
  },
  {
    what: 'misspelt field',
    code: 2,
    says: /:6:\d+ +unknown-field +'sorce' is not a field of dataset\.append; did you mean 'source'\?/,
    make: (world) => run(world, pipeline({ rows: steps.rows.replace('source:', 'sorce:') })),
  },
  {
    what: 'reference to nothing',
    code: 2,
    says: /:6:\d+ +\S+ +.*'?datset'?.*did you mean '?(steps\.)?dataset'?/,
    make: (world) => run(world, pipeline({ rows: steps.rows.replace('steps.dataset.id', 'steps.datset.id') })),
  },
  {
    what: 'output that a step has not',
    code: 2,
    says: /:6:\d+ +no-such-output +steps\.dataset has no output 'uuid'; it has .*id/,
    make: (world) => run(world, pipeline({ rows: steps.rows.replace('steps.dataset.id', 'steps.dataset.uuid') })),
  },
  {
    what: 'missing pipeline file',
    code: 2,
    says: /there is no file nowhere\.yaml/,
    make: (world) => world.portolan(['run', 'nowhere.yaml', '-c', 'local']),
  },
  {
    what: 'missing source',
    code: 2,
    says: /no-such-file[^]*there is no \S*gone\.json/,
    make: (world) => run(world, pipeline(), { source: `${world.dir}/gone.json`, dataset: 'gone' }),
  },
  {
    what: 'missing source, which only the worker may have',
    code: 1,
    says: /steps\.rows\.with\.source: there is no \S*gone\.json on \S+, where the worker runs/,
    make: (world) => run(world, pipeline(), { source: `${world.dir}/gone.json`, dataset: 'gone' }, 'local', ['--no-check']),
  },
  {
    what: 'empty file',
    code: 2,
    says: /bad-source +.*empty\.json.*empty/,
    make: async (world) => run(world, pipeline(), { source: await world.write('empty.json', '') }),
  },
  {
    what: 'not Parquet',
    code: 2,
    says: /bad-source +.*fake\.parquet.*[Pp]arquet/,
    make: async (world) => run(world, pipeline(), { source: await world.write('fake.parquet', 'PAR0 not at all') }),
  },
  {
    what: 'id of 37 characters',
    code: 1,
    says: /1 of 6 items rejected \(16\.7 %, tolerated 0\); first: row 6: .*36/,
    make: async (world) =>
      run(world, pipeline(), { dataset: 'long-id', source: await world.write('long.json', [...rows(5), { key: 'x'.repeat(37), n: 6 }]) }),
  },
  {
    what: 'duplicate ids',
    code: 2,
    says: /repeated-id[^]*the ids of 'key' repeat: "k0" stands in 2 rows/,
    make: async (world) =>
      run(world, pipeline(), { dataset: 'twice', source: await world.write('twice.json', [...rows(3), { key: 'k0', n: 9 }]) }),
  },
  {
    what: 'wrong key, before the run',
    code: 2,
    says: /connection 'wrong': maps\.user\.get answered 401[^]*check the secret of the connection/,
    make: (world) => run(world, pipeline(), { dataset: 'wrong-key' }, 'wrong'),
  },
  {
    what: 'service down, before the run',
    code: 1,
    says: /connection 'down': maps\.user\.get[^]*cannot be reached[^]*portolan doctor/,
    make: (world) => run(world, pipeline(), { dataset: 'down' }, 'down'),
  },
  {
    what: 'wrong key, in the run',
    code: 1,
    says: /maps\.user\.get answered 401[^]*check the connection’s secret \(portolan doctor\)/,
    make: (world) => runAndAsk(world, pipeline(), { dataset: 'wrong-key' }, 'wrong'),
  },
  { what: 'wrong key, one call', code: 1, says: /answered 401/, make: (world) => world.portolan(['call', 'maps.user.get', '-c', 'wrong']) },
  {
    what: 'service down, in the run',
    code: 1,
    says: /maps\.user\.get[^]*(refused|not be reached|no answer)[^]*portolan doctor/i,
    make: (world) => runAndAsk(world, pipeline({ dataset: `${steps.dataset}, timeout: 2s` }), { dataset: 'down' }, 'down'),
  },
  {
    what: 'service down, one call',
    code: 1,
    says: /(refused|not be reached|no answer)/i,
    make: (world) => world.portolan(['call', 'maps.user.get', '-c', 'down']),
  },
  {
    what: 'no Temporal server configured',
    code: 2,
    says: /no Temporal server: none is configured, and portolan dev is not running[^]*portolan dev --detach/,
    make: async (world) => {
      await world.write('none/portolan.config.mts', 'export default {};\n');
      await world.write('none/p.yaml', pipeline());
      return world.portolan(['run', 'p.yaml', '-c', 'local'], { cwd: `${world.dir}/none` });
    },
  },
  {
    what: 'no Temporal server there',
    code: 1,
    says: /no Temporal server answers at 127\.0\.0\.1:\d+ \(named by portolan\.config\.mts\)[^]*check/,
    make: async (world) => {
      await world.write('dead/portolan.config.mts', `export default { temporal: { address: '127.0.0.1:${await freePort()}' } };\n`);
      await world.write('dead/p.yaml', pipeline());
      return world.portolan(['run', 'p.yaml', '-c', 'local'], { cwd: `${world.dir}/dead` });
    },
  },
  {
    what: 'second run on the same dataset',
    code: 1,
    says: /local\/held is held by run bad-\S+, started by \S+, since [^]*: one run at a time[^]*portolan status bad-\S+[^]*portolan cancel bad-/,
    make: async (world) => {
      const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
      const holder = await world.start(pipeline(), { dataset: 'held' });
      if (!(await world.control.held(fault.id))) throw new Error('the first run did not come to its first call');
      const said = await run(world, pipeline(), { dataset: 'held' });
      await world.control.release(fault.id);
      await world.ended(holder);
      return said;
    },
  },
];

const textOf = ({ out, err }: Said): string => `${out}${err}`.trim();
const holds = ({ code, says }: Case, said: Said): boolean => said.code === code && says.test(textOf(said));

export const proof: Proof = {
  name: 'bad-input',
  sets: ['short', 'shape'],
  what: 'every wrong input ends with its exit code and a message that names field, rule and remedy',
  async run({ note }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    await chmod(await world.write('wrong.key', 'not-the-key'), 0o600);
    await chmod(await world.write('any.key', 'any-key'), 0o600);
    await world.write(
      'portolan.config.mts',
      `export default { connections: {
  wrong: { maps: { url: '${world.url}', secret: { file: 'wrong.key' } } },
  down: { maps: { url: 'http://127.0.0.1:${await freePort()}', secret: { file: 'any.key' } } },
} };\n`,
    );
    await world.worker.stop();
    await world.worker.start(0);
    await world.write('good.json', rows(3));

    const lines: Line[] = [];
    const good = await run(world, pipeline(), { dataset: 'good' });
    lines.push(line('control: nothing wrong', `exit ${good.code}`, 'exit 0', good.code === 0));
    const blind = cases.filter((each) => holds(each, good) || holds(each, { ...good, code: each.code }));
    lines.push(
      line(
        'control: the good run, also with the exit code of a wrong one, judged as each wrong input',
        `${blind.length} of ${cases.length} hold${blind.map(({ what }) => `; ${what}`).join('')}`,
        '0',
        blind.length === 0,
      ),
    );
    for (const each of cases) {
      const { what, code } = each;
      const said = await each.make(world);
      const matched = each.says.exec(textOf(said))?.[0];
      const ok = holds(each, said);
      note(`${ok ? 'ok' : 'NOT OK'} ${what}`);
      lines.push(line(what, `exit ${said.code}: ${(matched ?? textOf(said)).replace(/\s+/g, ' ').slice(-400)}`, `exit ${code}`, ok));
    }
    const { summary } = await world.control.journal();
    lines.push(line('journal', `repeated ${summary.repeated}`, 'repeated 0', summary.repeated === 0));
    return lines;
  },
};
