import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Finding } from './findings.ts';
import { fromModule } from './from-module.ts';
import { loadUses } from './load-uses.ts';
import { parse, type Parsed } from './parse.ts';
import { limits, tooLong } from './yaml/yaml-limits.ts';

export type LoadedFile = Parsed & { file: string; baseDir: string };

const modules = new Set(['.mts', '.mjs', '.ts', '.js']);

/**
 * Reads a pipeline file with those that its steps name: YAML, JSON, or a module whose default export is `definePipeline(…)`. What is wrong
 * with it is a finding; only a file that is not there or not readable fails. `chain`: the files that lead to it.
 */
export async function loadPipeline(path: string, chain: readonly string[] = []): Promise<LoadedFile> {
  const loaded = await loadOne(path);
  return { ...loaded, ...(await loadUses(loaded.value, loaded.baseDir, [...chain, loaded.file], loadPipeline)) };
}

async function loadOne(path: string): Promise<LoadedFile> {
  const file = resolve(path);
  const baseDir = dirname(file);
  const extension = extname(file).toLowerCase();
  const facts = await stat(file);
  // A pipe has no size and may have no end.
  if (!facts.isFile()) throw new Error(`${path} is not a regular file`);
  if (modules.has(extension)) return { ...(await importPipeline(file)), file, baseDir };
  const { size } = facts;
  if (size > limits.bytes)
    return { ...parse(''), findings: [{ code: 'too-large', message: tooLong(size).message, path: '', line: 1, column: 1 }], file, baseDir };
  const bytes = await readFile(file);
  const broken = notUnicode(bytes);
  if (broken) return { ...parse(''), findings: [broken], file, baseDir };
  return { ...parse(bytes.toString(), extension === '.json' ? 'json' : 'yaml'), file, baseDir };
}

/** The first line that is in another encoding: read as it is, its letters would be lost. */
function notUnicode(bytes: Buffer): Finding | undefined {
  if (isUtf8(bytes)) return undefined;
  let start = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, start);
    const text = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (!isUtf8(text) || end < 0) {
      const column = text.toString().indexOf('\ufffd') + 1;
      return { code: 'syntax', message: 'these bytes are no UTF-8', path: '', line, column, remedy: 'save the file as UTF-8' };
    }
    start = end + 1;
  }
}

async function importPipeline(file: string): Promise<Parsed> {
  const { importDefault } = await import('./import-module.ts');
  const loaded = await importDefault(pathToFileURL(file).href, 'definePipeline');
  const [, line, column] = ('problem' in loaded && /:(\d+)(?::(\d+))?$/.exec(loaded.at?.startsWith(`${file}:`) ? loaded.at : '')) || [];
  return 'problem' in loaded
    ? {
        ...parse(''),
        findings: [
          {
            code: 'module',
            message: loaded.problem,
            path: '',
            line: Number(line ?? 1),
            column: Number(column ?? 1),
            ...(loaded.remedy === undefined ? {} : { remedy: loaded.remedy }),
          },
        ],
      }
    : fromModule(loaded.value);
}
