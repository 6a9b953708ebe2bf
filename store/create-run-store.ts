import { filesLiteral } from '../text/sql.ts';
import { existsSync } from 'node:fs';
import { appendFile, glob, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createHash, randomUUID } from 'node:crypto';
import { BadInput } from '../errors/classes.ts';
import { turnsOf } from './loop-steps.ts';
import type { FateGroup, KeptItem, RunEvent, RunStore } from './run-store.ts';
import { countOf, type ColumnValues } from './parquet-page.ts';
import { queryFiles, queryReplaced, writeGroups, writeParquet, type RowGroup } from './columnar.ts';
import { makeFolder } from '../files/make-folder.ts';
import { writeOnce, writeWhole } from '../files/whole-file.ts';
import { folderOfStep, stepOfFolderSql } from './instance-folder.ts';
import { readJsonFile } from './json-file.ts';
import { keptShapes } from './kept-shapes.ts';
import { partName } from './part-name.ts';
import { sharedFolder } from './shared-folder.ts';

// Widest last: the writer copies what stands before each column.
const itemColumns = {
  status: { type: 'UTF8' },
  reason: { type: 'UTF8', optional: true },
  attempts: { type: 'INT32' },
  request_id: { type: 'UTF8', optional: true },
  item: { type: 'UTF8' },
} as const;

/** Ids per part of a list: a part is what one chunk of a sweep reads. */
const idsPerPart = 2_500;

/** `list.json` of an id list; `sha256` is of its ids in order, a line feed after each. */
type ListFacts = { count: number; idsPerPart: number; sha256: string };

/** Process ids come again: a later process must not write behind the cut line of an earlier one. */
const writer = randomUUID().slice(0, 8);

/** The run store of one run, at a `file:` URI or a path of a directory. */
export function createRunStore(uri: string): RunStore {
  const root = uri.startsWith('file:') ? fileURLToPath(uri) : uri;
  const path = (...parts: string[]): string => join(root, ...parts.map(folderOfStep));
  const eventsFile = path('events', `${hostname()}-${process.pid}-${writer}.jsonl`);
  // Beside the runs: what one run acknowledged, a later one may read.
  const known = (key: string): string =>
    join(sharedFolder(dirname(root), 'known'), `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);

  const files = async (pattern: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const file of glob(pattern, { cwd: root })) found.push(file);
    return found.sort();
  };
  const itemsQuery = async (
    select: string,
    tail: string,
    params: (string | number)[],
    at: readonly string[] = ['*', '*.parquet'],
  ): Promise<any[]> => {
    if ((await files(join('items', ...at.map(folderOfStep)))).length === 0) return [];
    const source = `read_parquet(${filesLiteral(path('items'), ...at.map(folderOfStep))}, filename = true, file_row_number = true, union_by_name = true)`;
    return queryReplaced(
      `select ${select} from (select *, ${stepOfFolderSql("split_part(filename, '/', -2)")} as step from ${source}) ${tail}`,
      params,
    );
  };

  return {
    path,
    async items(step, chunk, records) {
      await writeParquet(path('items', step, partName(chunk)), itemColumns, records);
    },
    async fates(step, chunk, groups) {
      const rows =
        groups.length > mostGroups && isListed(groups)
          ? [merged(groups)]
          : groups.map(({ items, fate }) => ({ rows: countOf(items), values: sameFor(items, fate) }));
      if (groups.length > 0) await writeGroups(path('items', step, partName(chunk)), itemColumns, rows);
    },
    async readItems(filter = {}) {
      const where = [
        ...(filter.step ? ['step = ?'] : []),
        ...(filter.loop ? ['starts_with(step, ?)'] : []),
        ...(filter.status ? ['status = ?'] : []),
      ];
      const params = [filter.step, filter.loop && turnsOf(filter.loop), filter.status].filter(
        (value): value is string => value !== undefined && value !== '',
      );
      return itemsQuery(
        'step, item, status, reason, attempts, request_id',
        `${where.length ? `where ${where.join(' and ')}` : ''} order by filename, file_row_number${filter.limit ? ` limit ${Math.floor(filter.limit)}` : ''}`,
        params,
        [filter.step ?? '*', filter.chunk === undefined ? '*.parquet' : partName(filter.chunk)],
      ) as Promise<KeptItem[]>;
    },
    async countItems() {
      const rows = await itemsQuery('step, status, count(*)::integer as count', 'group by all order by all', []);
      return rows as { step: string; status: string; count: number }[];
    },
    async writeIds(name, batches) {
      const folder = path('ids', name);
      const hash = createHash('sha256');
      let parts = 0;
      let count = 0;
      let pending: string[] = [];
      const flush = async (): Promise<void> => {
        hash.update(`${pending.join('\n')}\n`);
        await writeGroups(join(folder, partName(parts++)), { id: { type: 'UTF8' } }, [{ rows: pending.length, values: { id: pending } }]);
        pending = [];
      };
      const add = async (batch: string[]): Promise<void> => {
        for (const id of batch) {
          pending.push(id);
          count++;
          if (pending.length === idsPerPart) await flush();
        }
      };
      if (typeof batches === 'function') await batches(add);
      else for (const batch of batches) await add(batch);
      if (pending.length > 0) await flush();
      const facts: ListFacts = { count, idsPerPart, sha256: hash.digest('hex') };
      await writeWhole(join(folder, 'list.json'), JSON.stringify(facts));
      return { uri: pathToFileURL(folder).href, count };
    },
    async readIds(listUri, from, to) {
      const folder = fileURLToPath(listUri);
      const { idsPerPart: perPart } = await factsOf(folder);
      const ids: string[] = [];
      for (let part = Math.floor(from / perPart); part * perPart < to && existsSync(join(folder, partName(part))); part++) {
        const rows = await queryFiles<{ id: string }>(`select id from read_parquet(${filesLiteral(join(folder, partName(part)))})`);
        const start = part * perPart;
        for (let at = Math.max(0, from - start); at < Math.min(rows.length, to - start); at++) ids.push(rows[at]!.id);
      }
      return ids;
    },
    async hashIds(listUri) {
      return (await factsOf(fileURLToPath(listUri))).sha256;
    },
    async event(event) {
      // A line begins on its own, whatever a full disk has left before it.
      const line = `\n${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`;
      await appendFile(eventsFile, line).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        await makeFolder(dirname(eventsFile));
        await appendFile(eventsFile, line);
      });
    },
    async events() {
      const events: RunEvent[] = [];
      for (const file of await files('events/*.jsonl')) {
        for (const line of (await readFile(path(file), 'utf8')).split('\n')) {
          events.push(...parsed(line));
        }
      }
      return events.sort((a, b) => a.at.localeCompare(b.at));
    },
    async recall<T>(key: string) {
      return readJsonFile<T>(known(key), { without: learntAnew });
    },
    async remember(key, value) {
      await writeWhole(known(key), JSON.stringify(value));
    },
    async writeJson(name, value, options) {
      await writeWhole(path(name), `${JSON.stringify(value, null, 2)}\n`, options);
    },
    async readJson<T>(name: string) {
      return readJsonFile<T>(path(name), keptShapes[name]);
    },
    async keepJson<T>(name: string, value: T) {
      return (await writeOnce(path(name), JSON.stringify(value))) ? value : (await readJsonFile<T>(path(name)))!;
    },
  };
}

/** What is known is the memory of all runs: another run would find the same file. */
const learntAnew =
  'take it away while no run goes on: what earlier runs had learnt there is asked or done again, a document read and paid for again; if it is of rows that were deleted and the maps not updated since, update them first';

/** A kill, or a full disk, may have cut a line. */
function parsed(line: string): RunEvent[] {
  try {
    return [JSON.parse(line) as RunEvent];
  } catch {
    return [];
  }
}

/** Row groups of one ledger file; more are made one, row by row, where their items are not encoded yet. */
const mostGroups = 8;

const sameFor = (item: ColumnValues, { status, reason, attempts, request_id }: FateGroup['fate']): RowGroup['values'] => ({
  status: { all: status },
  reason: { all: reason ?? null },
  attempts: { all: attempts },
  request_id: { all: request_id ?? null },
  item,
});

type ListedGroup = FateGroup & { items: readonly string[] };

const isListed = (groups: readonly FateGroup[]): groups is readonly ListedGroup[] => groups.every(({ items }) => !('encoded' in items));

function merged(listed: readonly ListedGroup[]): RowGroup {
  const of = (name: 'status' | 'reason' | 'attempts' | 'request_id') => listed.flatMap(({ items, fate }) => items.map(() => fate[name]));
  const item = listed.flatMap(({ items }) => items);
  return {
    rows: item.length,
    values: { status: of('status'), reason: of('reason'), attempts: of('attempts'), request_id: of('request_id'), item },
  };
}

async function factsOf(folder: string): Promise<ListFacts> {
  const facts = await readJsonFile<ListFacts>(join(folder, 'list.json'));
  if (!facts) throw new BadInput('bad_input', `there is no id list in ${folder}: the folder of the run that made it is gone`);
  return facts;
}
