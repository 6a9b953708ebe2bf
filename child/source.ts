import { readFile, symlink, unlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { ChildSettings } from './protocol.ts';
import { csvRelation } from './csv-source.ts';
import { judged } from './duck-error.ts';
import { checkJson } from './json-check.ts';
import { openEngine, type Engine } from './engine.ts';
import { fileType, type FileType } from './file-type.ts';
import { identifier, literal } from './sql.ts';
import { BadInput } from './tables.ts';

/** A column as the source holds it; `type` in DuckDB's words. */
export type SourceColumn = { name: string; type: string };

export type Source = AsyncDisposable & {
  /** File name, for messages. */
  name: string;
  bytes: number;
  engine: Engine;
  /** Mixed JSON columns are text already: this is what expressions see. */
  columns: SourceColumn[];
  /** A sub-select of exactly `columns`, in the file's order. */
  relation: string;
};

const readers: Record<Exclude<FileType, 'arrow-file' | 'arrow-stream'>, (file: string, engine: Engine) => string | Promise<string>> = {
  // The whole file decides the types: a sample would make them depend on the order of rows.
  json: async (file) => {
    await checkJson(file);
    return `read_json(${literal(file)}, records = true, sample_size = -1, compression = 'uncompressed')`;
  },
  csv: csvRelation,
  parquet: (file) => `read_parquet(${literal(file)})`,
};

const describe = async (engine: Engine, relation: string): Promise<SourceColumn[]> =>
  (await engine.rows(`describe select * from ${relation}`)).map((row) => ({
    name: String(row['column_name']),
    type: String(row['column_type']),
  }));

/** JSON values of mixed kinds become what they say: strings without quotes, everything else as its JSON text. */
const plain = ({ name, type }: SourceColumn): string =>
  type === 'JSON' ? `${identifier(name)} ->> '$' as ${identifier(name)}` : identifier(name);

async function noRecords(name: string, path: string, bytes: number, error: BadInput): Promise<BadInput> {
  if (!/expected records/.test(error.message)) return error;
  const empty = bytes < 1024 && /^\s*(\[\s*\])?\s*$/.test(await readFile(path, 'utf8'));
  return new BadInput(
    'bad_input',
    empty ? `${name}: has no rows` : `${name}: not a JSON table; that is an array of objects, or one object a line`,
  );
}

/**
 * Opens a table in an engine that can read this one file. Fails with `BadInput` where the file is missing,
 * empty, or not the type that its first bytes or its ending claim.
 */
export async function openSource(path: string, settings: ChildSettings): Promise<Source> {
  const name = basename(path);
  const { type, bytes } = await fileType(path);
  // A neutral name: DuckDB would expand `*` and `[` in a path and guess compression from its ending.
  const file = join(settings.tempDir, `source-${randomUUID()}`);
  await symlink(resolve(path), file);
  const engine = await openEngine({ file, ...settings });
  const close = async (): Promise<void> => {
    await engine[Symbol.asyncDispose]();
    await unlink(file);
  };
  try {
    let relation: string;
    let found: SourceColumn[];
    if (type === 'arrow-file' || type === 'arrow-stream') {
      const { loadArrow } = await import('./arrow-source.ts');
      found = await judged(name, () => loadArrow(file, type, engine.connection));
      relation = 'arrow_source';
    } else {
      relation = '';
      found = await judged(name, async () => {
        relation = await readers[type](file, engine);
        return describe(engine, relation);
      }).catch(async (error: unknown) => {
        throw error instanceof BadInput ? await noRecords(name, file, bytes, error) : error;
      });
    }
    if (found.length === 0) throw new BadInput('bad_input', `${name}: has no columns`);
    if (found.some((column) => column.name.includes('\0')))
      throw new BadInput('bad_input', `${name}: has a NUL character in a column name`);
    return {
      name,
      bytes,
      engine,
      columns: found.map((column) => (column.type === 'JSON' ? { ...column, type: 'VARCHAR' } : column)),
      relation: `(select ${found.map(plain).join(', ')} from ${relation})`,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
