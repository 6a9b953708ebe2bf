import { appendFile, mkdir, mkdtemp, readFile, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseChanged } from '../../activities/sources/check-unchanged.ts';
import { createTables } from '../../child/host/create-tables.ts';
import type { Tables } from '../../child/tables.ts';
import { BadInput } from '../../errors/classes.ts';
import { line, type Line, type Proof } from './proof.ts';
import { mutate, random } from './support-mutate.ts';
import { mutateWorkbook } from './support-mutate-workbook.ts';
import { startPyarrow, type Cell, type SecondReader, type SecondReading } from './support-pyarrow.ts';
import { ourTable, type Table } from './support-second-reader.ts';

const many = { copies: 3_000, rounds: 100 };
const few = { copies: 150, rounds: 10 };
const seconds = 20;
const atOnce = 2;

/** A moment; of a column of several kinds it is text. */
const msOf = (value: string | number | null): number | null =>
  typeof value === 'string' ? Date.parse(value.includes('T') ? `${value}Z` : value) : value;

/** Does a dataset's value say what the second reader's says? */
function isSame(ours: string | number | null, theirs: Cell): boolean {
  if (theirs === null || theirs === '') return ours === null || ours === 'null';
  if (typeof theirs === 'object') return 'ms' in theirs ? msOf(ours) === theirs.ms : true;
  if (typeof theirs === 'boolean') return String(ours) === String(theirs);
  if (ours === null) return false;
  if (typeof ours === 'string') return ours === String(theirs) || ours.toLowerCase() === String(theirs).toLowerCase();
  const number = Number(theirs);
  return (
    Math.fround(number) === Math.fround(ours) ||
    Date.parse(`${String(theirs).replace(' ', 'T')}Z`) === ours ||
    Date.parse(String(theirs)) === ours
  );
}

/** The first thing in which two readings differ; undefined where every row and value is the same. Refused rows are no rows. */
function difference(ours: Table, theirs: Exclude<SecondReading, { refused: string }>): string | undefined {
  if (ours.inAll !== theirs.rows.length) return `${ours.inAll} rows, the second reader has ${theirs.rows.length}`;
  if (ours.columns.length !== theirs.names.length) return `${ours.columns.length} columns, the second reader has ${theirs.names.length}`;
  const places = ours.columns.map(({ name }, at) => (theirs.names.includes(name) ? theirs.names.indexOf(name) : at));
  for (const [row, values] of ours.rows)
    for (const [at, value] of values.entries()) {
      const other = theirs.rows[row - 1]![places[at]!]!;
      if (!isSame(value, other))
        return `row ${row}, ${ours.columns[at]!.name}: ${JSON.stringify(value)}, the second reader has ${JSON.stringify(other)}`;
    }
  return undefined;
}

type Outcome = { kind: 'refused' | 'same' | 'wrong' | 'death' | 'hang' | 'error'; about: string };

async function outcomeOf(tables: Tables, second: SecondReader, path: string, good: SecondReading, into: string): Promise<Outcome> {
  try {
    const ours = await ourTable(tables, path, into);
    const theirs = await second.read(path);
    // What the second reader refuses must at least be the rows of the file before it was damaged.
    const other = 'refused' in theirs ? good : theirs;
    if ('refused' in other) return { kind: 'error', about: other.refused };
    const found = difference(ours, other);
    if (found === undefined) return { kind: 'same', about: '' };
    return { kind: 'wrong', about: `${found}${'refused' in theirs ? ` (of the good file; it says: ${theirs.refused})` : ''}` };
  } catch (error) {
    if (!(error instanceof BadInput)) return { kind: 'error', about: String(error) };
    if (error.verdict === 'crashed') return { kind: 'death', about: error.message };
    return error.verdict === 'timeout' ? { kind: 'hang', about: error.message } : { kind: 'refused', about: error.message };
  }
}

/** The same copy as the second reader reads it, Parquet without checksums: rows that are not those of the good file. */
async function wrongUnchecked(second: SecondReader, path: string, good: SecondReading): Promise<boolean> {
  const read = await second.read(path, 'unchecked');
  return !('refused' in read) && JSON.stringify(read) !== JSON.stringify(good);
}

type Damaging = { copies: number; seed: number; note: (text: string) => void; only?: string | undefined };

async function damagedLines(folder: string, { copies, seed, note, only = '' }: Damaging): Promise<Line[]> {
  const goodFolder = join(folder, 'good');
  await mkdir(goodFolder);
  let second: SecondReader;
  try {
    second = await startPyarrow(folder, goodFolder);
  } catch (error) {
    note(`damaged copies are left out: the second reader cannot be installed (${(error as Error).message.split('\n')[0]})`);
    return [];
  }
  await using _reader = second;
  const tables = createTables({ children: atOnce, seconds, tempDir: folder });
  const names = (await readdir(goodFolder)).filter((name) => name.includes(only)).toSorted();
  const goods = new Map<string, SecondReading>();
  const outcomes: (Outcome & { name: string })[] = [];
  const unchecked = { '.parquet': 0, '.xlsx': 0 };
  try {
    for (const name of names) {
      goods.set(name, await second.read(join(goodFolder, name)));
      const whole = await outcomeOf(tables, second, join(goodFolder, name), goods.get(name)!, join(folder, 'out-good'));
      if (whole.kind !== 'same') note(`the good ${name}: ${whole.kind} ${whole.about}`);
      outcomes.push({ ...whole, name: `good ${name}`, kind: whole.kind === 'same' ? 'same' : 'error' });
    }
    const queue = Array.from({ length: copies }, (_, at) => at);
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
          const name = names[at % names.length]!;
          const path = join(folder, `copy-${at}${extname(name)}`);
          const bytes = await readFile(join(goodFolder, name));
          await writeFile(path, extname(name) === '.xlsx' ? await mutateWorkbook(bytes, seed + at) : mutate(bytes, seed + at));
          const outcome = await outcomeOf(tables, second, path, goods.get(name)!, join(folder, `out-${at}`));
          if (!['refused', 'same'].includes(outcome.kind)) note(`${outcome.kind}: ${name} damaged by ${seed + at}: ${outcome.about}`);
          outcomes.push({ ...outcome, name });
          const format = extname(name);
          if ((format === '.parquet' || format === '.xlsx') && (await wrongUnchecked(second, path, goods.get(name)!)))
            unchecked[format] += 1;
          await rm(path);
        }
      }),
    );
  } finally {
    await tables.close();
  }
  const count = (kind: Outcome['kind']): number => outcomes.filter((outcome) => outcome.kind === kind).length;
  return [
    line(
      `${copies} damaged copies of ${names.length} good files, second reader ${second.version}`,
      `refused ${count('refused')}, read the same ${count('same')}`,
      'both occur',
      count('refused') > 0 && count('same') > names.length,
    ),
    line('rows or values that the second reader does not have', count('wrong'), '0', count('wrong') === 0),
    line(
      'deaths, hangs, errors without a verdict',
      `${count('death')}, ${count('hang')}, ${count('error')}`,
      '0, 0, 0',
      count('death') + count('hang') + count('error') === 0,
    ),
    ...Object.entries(unchecked).flatMap(([format, wrong]) =>
      names.some((name) => extname(name) === format)
        ? [
            line(
              `control: ${format} as the second reader reads it without checksums of pages, copies with rows that the good file does not have`,
              wrong,
              '> 0',
              wrong > 0,
            ),
          ]
        : [],
    ),
  ];
}

const rowsOf = 120_000;
const text = `id,n\n${Array.from({ length: rowsOf }, (_, at) => `k${at},${at}`).join('\n')}\n`;

const changes: readonly ((path: string, pick: (below: number) => number) => Promise<void>)[] = [
  (path, pick) => truncate(path, pick(text.length)),
  (path) => appendFile(path, 'k-more,1\nk-half'),
  async (path, pick) => {
    await writeFile(`${path}.new`, text.slice(0, text.lastIndexOf('\n', pick(text.length)) + 1));
    await rename(`${path}.new`, path);
  },
];

async function changedLines(folder: string, rounds: number, seed: number): Promise<Line[]> {
  const tables = createTables({ children: 1, tempDir: folder });
  const pick = random(seed);
  const path = join(folder, 'rows.csv');
  const load = () =>
    tables.shard({
      source: path,
      id: { column: 'id' },
      into: join(folder, 'shards'),
      projectId: 'p',
      idField: 'id',
      maxRows: 5_000,
      maxBytes: 16_000_000,
    });
  let refused = 0;
  let whole = 0;
  let part = 0;
  try {
    await writeFile(path, text);
    const facts = await tables.inspect(path);
    const context = { sources: { [path]: facts } };
    const started = performance.now();
    await load();
    const ms = performance.now() - started;
    for (let round = 0; round < rounds; round += 1) {
      await writeFile(path, text);
      const loading = load().then(
        (result) => {
          refuseChanged(context, path, { ...result.source, rows: result.rows });
          return result.rows;
        },
        (error: unknown) => error,
      );
      // Not a wait for something: the moment of the change is drawn.
      await sleep(pick(Math.ceil(ms * 1.2)));
      await changes[round % changes.length]!(path, pick);
      const end = await loading.catch((error: unknown) => error);
      if (end === rowsOf) whole += 1;
      else if (end instanceof BadInput) refused += 1;
      else part += 1;
    }
    // The control: the same without what is compared behind the reading.
    await writeFile(path, text);
    await truncate(path, text.lastIndexOf('\n', text.length / 2) + 1);
    const { rows } = await load();
    return [
      line(
        `a source cut off, grown or replaced at a drawn moment of its reading, ${rounds} rounds`,
        `refused ${refused}, whole ${whole}, else ${part}`,
        'else 0',
        part === 0 && refused > 0,
      ),
      line('control: read without comparing it with the inspection', `${rows} of ${rowsOf} rows`, 'fewer', rows < rowsOf),
    ];
  } finally {
    await tables.close();
  }
}

export const proof: Proof = {
  name: 'damaged',
  sets: ['short', 'floor'],
  what: 'damaged copies of good files, and sources that change while they are read: refused, or exactly the rows that a second reader has',
  async run({ rounds, short, note, only }) {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-damaged-'));
    const { copies, rounds: changed } = short ? few : many;
    try {
      const seed = 20_260 + rounds * 1_000_003;
      return [...(await damagedLines(folder, { copies, seed, note, only })), ...(await changedLines(folder, changed, seed))];
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  },
};
