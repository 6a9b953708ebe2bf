import { glob, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';
import { limits } from '../../pipelines/file/yaml/yaml-limits.ts';
import { UsageError } from '../frame/errors.ts';
import { isPipeline } from './is-pipeline.ts';

/** Folders below a project that hold no pipelines of its own. */
const notLooked = new Set(['node_modules', 'dist']);

const yaml = new Set(['.yaml', '.yml']);

/** Whether a file may be a pipeline: also a YAML file that cannot be read, which is said where it is checked. */
async function mayBePipeline(path: string): Promise<boolean> {
  const isYaml = yaml.has(extname(path));
  try {
    const facts = await stat(path);
    // Data of any length is no pipeline.
    return facts.isFile() && (isYaml || facts.size <= limits.bytes) && isPipeline(path, await readFile(path, 'utf8'));
  } catch {
    return isYaml;
  }
}

/** Pipelines of a folder and of those below it, as paths from `cwd`, sorted; hidden folders and installed packages are left out. */
async function pipelinesIn(folder: string, cwd: string): Promise<string[]> {
  const found: string[] = [];
  const exclude = (name: string): boolean => {
    const last = name.split(/[\\/]/).at(-1)!;
    return notLooked.has(last) || (last.startsWith('.') && last.length > 1);
  };
  for await (const name of glob('**/*.{yaml,yml,json,mts}', { cwd: folder, exclude })) {
    const path = join(folder, name);
    if (await mayBePipeline(path)) found.push(relative(cwd, path));
  }
  return found.sort();
}

const isFolder = async (path: string): Promise<boolean> =>
  stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );

/** The files that are named, folders as their pipelines. Fails with `UsageError` where a folder has none. */
export async function pipelineFiles(named: readonly string[], cwd: string): Promise<string[]> {
  const files: string[] = [];
  for (const name of named) {
    const path = resolve(cwd, name);
    if (!(await isFolder(path))) files.push(name);
    else {
      const inside = await pipelinesIn(path, cwd);
      if (inside.length === 0)
        throw new UsageError(
          `the folder ${name} has no pipelines: no YAML or JSON file in it or below it has steps, and no module (.mts) defines a pipeline`,
          'name a file, or another folder',
        );
      files.push(...inside);
    }
  }
  return files;
}

/** One pipeline is named where one is run: a folder is refused with those that it has. */
export async function refuseFolder(name: string, cwd: string): Promise<void> {
  const path = resolve(cwd, name);
  if (!(await isFolder(path))) return;
  const inside = await pipelinesIn(path, cwd);
  throw new UsageError(
    `${name} is a folder, not a pipeline`,
    inside.length === 0 ? 'name a file' : `name one of its pipelines: ${inside.slice(0, 5).join(', ')}${inside.length > 5 ? ', …' : ''}`,
  );
}
