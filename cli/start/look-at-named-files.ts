import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '../../child/listed-files.ts';
import { allTexts, type IdColumns } from '../../child/id-columns.ts';
import { readParts, textOf, valueOf, type Listed } from '../../child/listed-rows.ts';
import { namedFiles, namesNone, namingTable, noSuchFile, textColumns } from '../../child/named-files.ts';
import { BadInput } from '../../errors/classes.ts';
import { known } from '../../pipelines/file/embedded-expressions.ts';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import { resolvePath } from '../../pipelines/resolve-path.ts';
import { sourceOf } from '../../pipelines/source-name.ts';
import type { SourceSpec, TableFacts } from '../../pipelines/source-spec.ts';
import type { AbsentFiles, Known, NamedFacts } from '../../pipelines/step.ts';
import { fileColumns } from '../../pipelines/steps/agent/file-columns.ts';
import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import { definition as agents } from '../../pipelines/steps/agent/run.ts';
import { definition as parse, type ParseInput } from '../../pipelines/steps/documents/parse.ts';
import { bytes as size, number } from '../../text/units.ts';
import type { LentTables } from './lent-tables.ts';

/** Of a table beyond these nobody looks at every file before the run: bytes of the table, and its rows. */
const most = { bytes: 16 * 1024 * 1024, rows: 20_000 };

/** Files that are shown of those that are not there. */
const shown = 5;

/** A file that a row names: where it stands, as it is written, its bytes, or why there are none. */
type Found = { row: number; file: string; bytes: number; because?: string };

/** A table whose rows name files, and how they are found. `ids`: columns whose values stay the texts that stand there. */
type Naming = {
  source: SourceSpec;
  key?: string | undefined;
  ids?: IdColumns;
  find: (rows: AsyncIterable<readonly Listed[]>) => AsyncIterable<Found>;
};

export type LookAtNamedFiles = {
  tables: LentTables;
  /** The tables of the steps, by step: of one that is not here nothing is known. */
  measured: ReadonlyMap<string, TableFacts>;
  /** Folder of the pipeline's file. */
  baseDir: string;
  signal: AbortSignal;
};

/** Which of the files that the tables of a plan's steps name are here, by step. */
export async function lookAtNamedFiles(
  plan: Plan,
  { tables, measured, baseDir, signal }: LookAtNamedFiles,
): Promise<ReadonlyMap<string, NamedFacts>> {
  const looked = new Map<string, NamedFacts>();
  for (const step of plan.steps) {
    const bytes = measured.get(step.id)?.bytes;
    if (bytes === undefined) continue;
    try {
      const naming = await namingOf(step, plan, baseDir);
      if (naming) looked.set(step.id, bytes > most.bytes ? tooLarge(size(bytes)) : await look(naming, tables, signal));
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      // What a table took too long for here may end there.
      looked.set(step.id, error.verdict === 'bad_input' ? { problems: [error.message] } : { because: error.message });
    }
  }
  return looked;
}

const tooLarge = (size: string): NamedFacts => ({ because: `its table has ${size}: which files it names is looked at in the run` });

/** How a step names files by a table; undefined of one that names none. */
async function namingOf({ id, use, with: input }: PlanStep, { sources }: Plan, baseDir: string): Promise<Naming | undefined> {
  if (use === parse.name) {
    const { files, column, carry = [] } = known(input) as NonNullable<Known<ParseInput>>;
    if (files === undefined || column === undefined || column === '') return undefined;
    const given = { files, column, carry: carry.filter((each) => each !== undefined) };
    const path = namingTable(given, (await listFiles(files)).files);
    return { source: { path }, ids: textColumns(given), find: (rows) => documents(namedFiles(given, path, rows)) };
  }
  if (use !== agents.name) return undefined;
  const given = known(input) as NonNullable<Known<AgentInput>>;
  const columns = fileColumns(given);
  const table = sources.find(({ step, raw }) => step === id && !raw);
  if (!table || columns.length === 0) return undefined;
  const source = sourceOf(table);
  return { source, key: given.key, ids: allTexts(source), find: (rows) => filesOfAgents(rows, columns, baseDir) };
}

async function* documents(files: ReturnType<typeof namedFiles>): AsyncGenerator<Found, void, undefined> {
  let row = 0;
  for await (const { name, bytes, unreadable } of files) {
    row += 1;
    yield { row, file: unreadable === namesNone ? '' : name, bytes, ...(unreadable !== undefined && { because: unreadable }) };
  }
}

async function* filesOfAgents(
  rows: AsyncIterable<readonly Listed[]>,
  columns: ReturnType<typeof fileColumns>,
  baseDir: string,
): AsyncGenerator<Found, void, undefined> {
  let row = 0;
  for await (const listed of rows)
    for (const { row: values } of listed) {
      row += 1;
      for (const { column, where } of columns) {
        const file = textOf(valueOf(values, column, where));
        if (file === '') continue;
        const facts = await stat(resolvePath(file, baseDir)).catch(() => undefined);
        const because = file.startsWith('/') ? noSuchFile : `${noSuchFile} in ${baseDir}, the folder of the pipeline`;
        yield { row, file, ...(facts?.isFile() ? { bytes: facts.size } : { bytes: 0, because }) };
      }
    }
}

async function look({ source, key, ids = [], find }: Naming, lent: LentTables, signal: AbortSignal): Promise<NamedFacts> {
  const tables = await lent.get();
  const { rows } = await tables.inspect(source, { signal });
  if (rows > most.rows) return tooLarge(`${number(rows)} rows`);
  const folder = await mkdtemp(join(tmpdir(), 'portolan-plan-'));
  try {
    const into = join(folder, 'rows');
    const { parts } = await tables.listRows({ source, key, ids, into, parts: 1_000_000, leastRows: 1_000, mostRows: 1_000 }, { signal });
    const first: AbsentFiles['first'] = [];
    const counts = { files: 0, bytes: 0, missing: 0 };
    for await (const { row, file, bytes, because } of find(readParts(into, parts))) {
      signal.throwIfAborted();
      counts.files += 1;
      counts.bytes += bytes;
      if (because === undefined) continue;
      counts.missing += 1;
      if (first.length < shown) first.push({ row, file, because });
    }
    return { rows, ...counts, first };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
