import { createHash, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { Bool, Field, FixedSizeList, Float32, Int32, List, Utf8, type DataType } from 'apache-arrow';
import { arrowFile, createProject, createWorld, type World } from '../service/world.ts';
import { line, type Proof } from './proof.ts';
import { random } from './support-mutate.ts';

const count = 1_000;
/** Rows of a batch: all but one of them could be added. */
const perBatch = 40;
/** Rows that are there before. */
const there = 60;

type Columns = Record<string, { type: DataType; values: unknown[] }>;
type Given = { fresh: string; columns: Columns; metadata: Record<string, string>; at: number; dice: (below: number) => number };

const dims = 4;
const vectors = new FixedSizeList(dims, new Field('item', new Float32(), true));

/** Rows that the dataset takes, from number `from` on. */
const rowsFrom = (from: number): Columns => {
  const rows = Array.from({ length: perBatch }, (_, at) => from + at);
  return {
    id: { type: new Utf8(), values: rows.map((row) => `row-${row}`) },
    text: { type: new Utf8(), values: rows.map((row) => `text ${row}`) },
    year: { type: new Int32(), values: rows.map((row) => 1900 + (row % 100)) },
    _embeddings: { type: vectors, values: rows.map((row) => Array.from({ length: dims }, (_, k) => ((row + 1) * (k + 1)) % 7)) },
  };
};

/** Another value in one row of a column. */
const withValue = ({ columns, at }: Given, name: string, value: unknown): Columns => ({
  ...columns,
  [name]: { ...columns[name]!, values: columns[name]!.values.with(at, value) },
});
const without = ({ columns }: Given, name: string): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([each]) => each !== name));
const beside = ({ columns }: Given, name: string, type: DataType, value: unknown): Columns => ({
  ...columns,
  [name]: { type, values: Array.from({ length: perBatch }, () => value) },
});

const file = ({ metadata }: Given, columns: Columns): Uint8Array => arrowFile(metadata, columns);

/** Ways in which a batch is wrong, each at a place that the dice choose. */
const wrongs: Readonly<Record<string, (given: Given) => Uint8Array>> = {
  'cut anywhere': (given) => {
    const whole = file(given, given.columns);
    return whole.subarray(0, given.dice(whole.length - 1));
  },
  'bytes of nothing': ({ dice }) => Uint8Array.from({ length: 2_000 }, () => dice(256)),
  'a beginning that is none': (given) => {
    const whole = file(given, given.columns).slice();
    whole[given.dice(6)]! ^= 0x55;
    return whole;
  },
  'a footer of another length': (given) => {
    const whole = file(given, given.columns).slice();
    new DataView(whole.buffer).setInt32(whole.length - 10, given.dice(2 ** 31), true);
    return whole;
  },
  'a dataset that is none': (given) => arrowFile({ project_id: randomUUID() }, given.columns),
  'no dataset': (given) => arrowFile({}, given.columns),
  'no id in one row': (given) => file(given, withValue(given, 'id', null)),
  'an id that is too long': (given) => file(given, withValue(given, 'id', 'x'.repeat(37 + given.dice(50)))),
  'an id twice': (given) => file(given, withValue(given, 'id', given.columns['id']!.values[(given.at + 1) % perBatch])),
  'an id that is there': (given) => file(given, withValue(given, 'id', `row-${given.dice(there)}`)),
  'no column of ids': (given) => file(given, without(given, 'id')),
  'a column that is missing': (given) => file(given, without(given, given.dice(2) === 0 ? 'year' : 'text')),
  'no vectors': (given) => file(given, without(given, '_embeddings')),
  'a vector of another length': (given) =>
    file(given, {
      ...given.columns,
      _embeddings: {
        type: new FixedSizeList(dims + 1, new Field('item', new Float32(), true)),
        values: given.columns['_embeddings']!.values.map((each) => [...(each as number[]), 1]),
      },
    }),
  'a number in a vector that is none': (given) => {
    const wrong = [Number.NaN, Infinity, -Infinity][given.dice(3)]!;
    return file(given, withValue(given, '_embeddings', [1, wrong, 0, 0]));
  },
  'a vector that is not there': (given) => file(given, withValue(given, '_embeddings', null)),
  // To a dataset that has no columns yet: one that has some leaves further ones out.
  'a name that begins with _': (given) => arrowFile({ project_id: given.fresh }, beside(given, `_own${given.at}`, new Utf8(), 'x')),
  'two columns of one name': (given) => arrowFile({ project_id: given.fresh }, beside(given, 'TEXT', new Utf8(), 'x')),
  'a first column of lists': (given) =>
    arrowFile({ project_id: given.fresh }, beside(given, 'lists', new List(new Field('item', new Utf8(), true)), ['x'])),
  'a text where a number belongs': (given) =>
    file(given, {
      ...given.columns,
      year: { type: new Utf8(), values: given.columns['year']!.values.map((year, at) => (at === given.at ? 'no year' : String(year))) },
    }),
  'booleans for a number': (given) =>
    file(given, {
      ...given.columns,
      year: { type: new Bool(), values: given.columns['year']!.values.map((year) => Number(year) % 2 === 0) },
    }),
  'lists for a text': (given) =>
    file(given, {
      ...given.columns,
      text: { type: new List(new Field('item', new Utf8(), true)), values: given.columns['text']!.values.map((text) => [text]) },
    }),
};

/** Everything that a batch could leave behind: rows, their versions, effects, files. */
async function lookAt(world: World, projects: readonly string[]): Promise<string> {
  const seen = await Promise.all(projects.map((project) => lookAtOne(world, project)));
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex');
}

async function lookAtOne({ api, dataDir }: World, project: string): Promise<object> {
  const { total_datums_in_project, project_fields, schema, insert_update_delete_lock } = (await api.get(`/v1/project/${project}`)).body;
  const rows: unknown[] = [];
  for (let from = 0; ; from += 1_000) {
    const { data } = (await api.get(`/v1/project/${project}/data/get?limit=1000&offset_number=${from}`)).body;
    rows.push(...data);
    if (data.length < 1_000) break;
  }
  const { body: version } = await api.get(`/v1/project/${project}/last_modified`);
  const { summary } = (await api.get('/__control/journal')).body;
  // A database of what was added before is written beside the requests and then has its name: one that is being written counts as written.
  const files = (await readdir(dataDir, { recursive: true }))
    .filter((name) => !/-(?:wal|shm|journal)$|\.wal$/.test(name))
    .map((name) => name.replace(/\.duckdb\.new$/, '.duckdb'))
    .toSorted();
  return { total_datums_in_project, project_fields, schema, insert_update_delete_lock, rows, version, summary, files };
}

export const proof: Proof = {
  name: 'invalid-batches',
  sets: ['maps'],
  what: `${count} batches that are wrong in one place, cut or no files at all: each is refused, and nothing of any is there afterwards`,
  async run({ note }) {
    await using world = await createWorld();
    const { project_id: project } = await createProject(world, 'batches');
    const { project_id: fresh } = await createProject(world, 'no batches yet');
    const look = () => lookAt(world, [project, fresh]);
    const metadata = { project_id: project };
    const add = (body: Uint8Array) => world.api.post('/v1/project/data/add/arrow', body);
    for (let from = 0; from < there; from += perBatch) await add(arrowFile({ ...metadata, on_id_conflict_ignore: 'true' }, rowsFrom(from)));
    const before = await look();
    const dice = random(12);
    const kinds = Object.entries(wrongs);
    const statuses = new Map<number, number>();
    const taken: string[] = [];
    const left: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const [kind, make] = kinds[at % kinds.length]!;
      const given = { fresh, metadata, columns: rowsFrom(1_000 + at * perBatch), at: dice(perBatch), dice };
      const { status } = await add(make(given));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status < 400 || status >= 500) taken.push(`${kind}: ${status}`);
      // After each round of all kinds, so that what leaves something is found near where it did.
      if (at % kinds.length === kinds.length - 1 && (await look()) !== before) left.push(`round ${Math.floor(at / kinds.length)}`);
    }
    const after = await look();
    note(`${kinds.length} kinds: ${kinds.map(([kind]) => kind).join(', ')}`);
    const valid = await add(arrowFile(metadata, rowsFrom(900_000)));
    const seen = (await look()) !== before;
    return [
      line(
        `wrong batches of ${perBatch} rows that are refused`,
        `${count - taken.length} of ${count} (${[...statuses].map(([status, times]) => `${status}: ${times}`).join(', ')})`,
        'all',
        taken.length === 0,
      ),
      ...taken.slice(0, 5).map((each) => line('not refused', each, 'none', false)),
      line(
        'what they left of rows, versions, effects and files',
        after === before ? 'nothing' : left.slice(0, 3).join(', '),
        'nothing',
        after === before && left.length === 0,
      ),
      line(
        'control, a batch that is right: its rows, version and effect are seen',
        `${valid.status}, ${seen ? 'seen' : 'not seen'}`,
        '200, seen',
        valid.status === 200 && seen,
      ),
    ];
  },
};
