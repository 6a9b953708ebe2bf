import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { removeLinked } from '../../files/remove-linked.ts';
import { select, writeJournal } from '../../service/engine/datasets/dataset.ts';
import { createDatasets } from '../../service/engine/datasets/store.ts';
import { createProject, createWorld } from './world.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'portolan-file-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const entry = { requestId: 'r', operation: 'maps.data.addArrow', subject: 'data', content: 1 };

/** Opens the dataset, reads its journal, and writes one row more. */
async function write(at = folder): Promise<number> {
  const datasets = createDatasets(at);
  try {
    return await datasets.use('one', async (dataset) => {
      const { length } = await dataset.journal();
      await dataset.write((connection) => writeJournal(connection, entry, 1));
      return length;
    });
  } finally {
    await datasets.close();
  }
}

test.each([0, 1, 4_096, 8_192, 12_287])('a file whose creation was cut at %i bytes is created anew', async (bytes) => {
  expect(await write()).toBe(0);
  const file = join(folder, 'one.duckdb');
  writeFileSync(file, readFileSync(file).subarray(0, bytes));
  writeFileSync(`${file}.new`, 'cut as well');
  expect(await write()).toBe(0);
  expect(await write()).toBe(1);
  expect(readdirSync(folder)).toEqual(['one.duckdb']);
});

test('datasets of a folder with a question mark in its path are kept, and removed with it', async () => {
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  const odd = join(folder, 'a#b?c=1', 'service', 'datasets');
  expect(await write(odd)).toBe(0);
  expect(await write(odd)).toBe(1);
  expect(readdirSync(odd)).toEqual(['one.duckdb']);
  const [place] = readdirSync(join(folder, 'state', 'portolan', 'datasets'));
  expect(place).toBeDefined();
  removeLinked(odd);
  expect(readdirSync(join(folder, 'state', 'portolan', 'datasets'))).toEqual([]);
  vi.unstubAllEnvs();
});

test('control: a file that is damaged is not taken for a new one', async () => {
  await write();
  const file = join(folder, 'one.duckdb');
  const damaged = Buffer.alloc(readFileSync(file).length, 1);
  writeFileSync(file, damaged);
  await expect(write()).rejects.toThrow(/not a valid DuckDB database/);
  expect(readFileSync(file)).toEqual(damaged);
});

test('a dataset whose file is taken away under way, or replaced, confirms nothing until it is back', async () => {
  const datasets = createDatasets(folder, { maxOpen: 1 });
  const file = join(folder, 'one.duckdb');
  const rows = (): Promise<number> => datasets.use('one', async (dataset) => (await dataset.journal()).length);
  const add = (then: () => void = () => undefined): Promise<void> =>
    datasets.use('one', async (dataset) => {
      await dataset.write((connection) => writeJournal(connection, entry, 1));
      then();
    });
  const gone = { status: 503, detail: expect.stringContaining('the file of dataset one is gone') };
  try {
    await add();
    renameSync(file, join(folder, 'away'));
    await expect(add()).rejects.toMatchObject(gone);
    copyFileSync(join(folder, 'away'), file);
    await expect(rows()).rejects.toMatchObject(gone);
    renameSync(join(folder, 'away'), file);
    expect(await rows()).toBe(1);
    // While a write is under way: it is not confirmed either.
    await expect(add(() => renameSync(file, join(folder, 'away')))).rejects.toMatchObject(gone);
    // Closed meanwhile: no empty one is made in its place.
    await datasets.use('two', async () => undefined);
    await datasets.use('three', async () => undefined);
    await expect(rows()).rejects.toMatchObject(gone);
    expect(existsSync(file)).toBe(false);
  } finally {
    await datasets.close();
  }
});

test('a service says of which dataset the file is gone; the others are served', async () => {
  await using world = await createWorld({ dataDir: folder });
  const [one, two] = [await createProject(world, 'one'), await createProject(world, 'two')];
  const read = async ({ project_id }: { project_id: string }) => world.api.get(`/v1/project/${project_id}`);
  expect((await read(one)).status).toBe(200);
  rmSync(join(folder, 'datasets', `${one.project_id}.duckdb`));
  const refused = await read(one);
  expect([refused.status, refused.body.detail]).toEqual([503, expect.stringContaining(`dataset ${one.project_id} is gone`)]);
  expect((await read(two)).status).toBe(200);
});

const checkpointOf = async (connection: DuckDBConnection): Promise<number> =>
  (await select<{ checkpoint: number }>(connection, 'SELECT checkpoint FROM state'))[0]!.checkpoint;

test('what is known of a dataset is of one moment, and never older than what a read of it has seen', async () => {
  const datasets = createDatasets(folder);
  await datasets.use('one', async (dataset) => {
    let [looks, stale, torn, apart, written] = [0, 0, 0, 0, false];
    const before = (await dataset.facts()).checkpoint;
    const look = async (): Promise<void> => {
      for (; !written; looks += 1) {
        const [seen, here] = await dataset.read(async (connection, factsHere) => {
          const facts = await factsHere();
          return [await checkpointOf(connection), facts.checkpoint];
        });
        if (seen !== here) apart += 1;
        const { checkpoint, labelled } = await dataset.facts();
        if (checkpoint < seen) stale += 1;
        if (labelled.length !== checkpoint - before) torn += 1;
      }
    };
    const looking = [look(), look()];
    for (let round = 0; round < 60; round += 1)
      await dataset.write(async (connection) => {
        // Enough of it that its commit takes a while.
        await connection.run('CREATE OR REPLACE TABLE much AS SELECT range AS a, range::VARCHAR AS b FROM range(150_000)');
        await connection.run('UPDATE state SET checkpoint = checkpoint + 1');
        await connection.run(`INSERT INTO labelled VALUES ('index-${round}', 0, false)`);
      });
    written = true;
    await Promise.all(looking);
    expect(looks).toBeGreaterThan(0);
    expect({ stale, torn, apart }).toEqual({ stale: 0, torn: 0, apart: 0 });
  });
  await datasets.close();
});

test('a read sees one state: no text is cut by a plan that was made before a longer one came', async () => {
  const datasets = createDatasets(folder);
  await datasets.use('one', async (dataset) => {
    await dataset.write((connection) => connection.run("CREATE TABLE texts AS SELECT 1 AS place, 'WAITING' AS text"));
    const texts = 'SELECT text FROM texts ORDER BY place';
    // What `select` does in two calls, with a commit between them.
    const read = await dataset.read(async (connection) => {
      const statement = await connection.prepare(texts);
      await dataset.write((writer) => writer.run("UPDATE texts SET text = 'BUILDING'"));
      return (await statement.run()).getRows();
    });
    expect(read).toEqual([['WAITING']]);
    expect(await dataset.read((connection) => select(connection, texts))).toEqual([{ text: 'BUILDING' }]);
  });
  await datasets.close();
});

test.each(['known', 'unknown'])(
  'a read has the facts of its own state, whatever is committed before or after they are asked for: facts %s',
  async (before) => {
    const datasets = createDatasets(folder);
    await datasets.use('one', async (dataset) => {
      const commit = () => dataset.write((connection) => connection.run('UPDATE state SET checkpoint = checkpoint + 1'));
      const begin = async (): Promise<number> => {
        await commit();
        return before === 'known' ? (await dataset.facts()).checkpoint : await dataset.read(checkpointOf);
      };
      const first = await begin();
      const commitAfter = await dataset.read(async (connection, factsHere) => {
        const { checkpoint } = await factsHere();
        await commit();
        return [checkpoint, await checkpointOf(connection)];
      });
      expect(commitAfter).toEqual([first, first]);
      // A read that has not looked at anything yet sees what is committed until it does.
      const second = await begin();
      const commitBefore = await dataset.read(async (connection, factsHere) => {
        await commit();
        const { checkpoint } = await factsHere();
        return [checkpoint, await checkpointOf(connection)];
      });
      expect(commitBefore).toEqual([second + 1, second + 1]);
      const third = await begin();
      const commitBetween = await dataset.read(async (connection, factsHere) => {
        const rows = await checkpointOf(connection);
        await commit();
        return [(await factsHere()).checkpoint, rows];
      });
      expect(commitBetween).toEqual([third, third]);
      // What an older read was handed is not kept as what is known now.
      expect((await dataset.facts()).checkpoint).toBe(third + 1);
    });
    await datasets.close();
  },
);
