import { dirname, join, relative, resolve, sep } from 'node:path';
import { kindOfPath, meantFile, missingPart } from '../../files/meant-file.ts';
import { tablesOfFolder } from '../../files/tables-of-folder.ts';
import { isHere } from '../../child/source-files.ts';
import type { Finding, Locate, Path } from '../../pipelines/file/findings.ts';
import { formatPath, help } from '../../pipelines/file/findings.ts';
import { inputInFile, type Plan, type PlanSource } from '../../pipelines/plan.ts';
import { isQuery, isRemote, pathOf, sourceOf } from '../../pipelines/source-name.ts';
import { fixedPart, isGlob } from '../../text/glob.ts';
import { whereWritten, type Written } from '../../pipelines/compile/where-written.ts';

export type Checked = Written & { locate: Locate; baseDir: string };

/** Paths of a source as they stand in the file, but for what is fetched. */
const placesOf = (planned: PlanSource, plan: Plan): { path: string; at: Path }[] => {
  const at = [...inputInFile(plan, planned.step), ...planned.field.split('.')];
  if (planned.list) return [{ path: planned.path, at }];
  if (planned.raw) return [{ path: planned.path, at: [...at, 'file'] }];
  const source = sourceOf(planned);
  const own = (file: Parameters<typeof pathOf>[0], place: Path): { path: string; at: Path } => ({
    path: pathOf(file),
    at: typeof file === 'string' ? place : [...place, 'path'],
  });
  const files = isQuery(source)
    ? Object.entries(source.tables).map(([name, file]) => [file, [...at, 'tables', name]] as const)
    : [[source, at] as const];
  return files.flatMap(([file, place]) => (isRemote(file) ? [] : [own(file, place)]));
};

/**
 * Files of sources that are surely not there: their folder is on this host, or their path belongs to the project. A file elsewhere is
 * the worker's to find, which says so with both host names.
 */
export async function checkFiles(
  planned: PlanSource,
  plan: Plan,
  { locate, baseDir, value, given }: Checked,
  projectDir: string,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { path, at } of placesOf(planned, plan)) {
    const kind = await kindOfPath(path);
    if (kind === 'file' || (kind === undefined && (await isHere(path)))) continue;
    const written = whereWritten({ value, given }, at);
    const place = { code: 'no-such-file' as const, path: formatPath(written.path), ...locate.value(written.path) };
    if (kind === 'folder') {
      const pattern = planned.list ? '**/*' : await tablesOfFolder(path);
      const corrected =
        written.text === undefined ? undefined : locate.rewritten(written.path, { value: `${written.text.replace(/\/$/, '')}/${pattern}` });
      findings.push({
        ...place,
        code: 'bad-source',
        message: `${path} is a folder`,
        remedy: `name its files: ${corrected === undefined ? `${path}/${pattern}` : corrected.trim()}`,
      });
      continue;
    }
    if (isGlob(path)) {
      const { folder } = await missingPart(`${fixedPart(path)}x`);
      if ((await kindOfPath(dirname(path))) === 'folder' || inside(folder, projectDir))
        findings.push({ ...place, code: 'bad-source', message: `${path}: no file matches`, remedy: `see what is there: ls ${folder}` });
      continue;
    }
    if (written.text?.startsWith('~')) {
      findings.push({
        ...place,
        message: `'~' in ${written.text} is no folder: only a shell knows it`,
        remedy: 'write the path from the root, or from the folder of this file',
      });
      continue;
    }
    const { folder, part } = await missingPart(path);
    if (folder !== dirname(path) && !inside(path, projectDir)) continue;
    const moved = await otherPlace(path, baseDir, written.text);
    const whence =
      written.text === undefined
        ? 'a path in --param is relative to the current folder, one in a file to the folder of that file'
        : `a path is relative to the folder of the pipeline's file (${baseDir})`;
    const meant = moved ?? (await meantFile(path));
    const text = meant === undefined ? undefined : asWritten(meant, path, written.text, baseDir);
    findings.push({
      ...place,
      message: `there is no ${join(folder, part)}${meant === undefined ? '' : `; did you mean ${text ?? meant}?`}`,
      ...help(locate, written.path, { value: text }, `${whence}; where only the worker's host has it, run with --no-check`),
    });
  }
  return findings;
}

const inside = (path: string, folder: string): boolean => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** The same path from a folder above: written as if from the project's folder. */
async function otherPlace(path: string, baseDir: string, text: string | undefined): Promise<string | undefined> {
  if (text === undefined || !path.startsWith(baseDir)) return undefined;
  const above = resolve(dirname(baseDir), text);
  return (await kindOfPath(above)) === 'file' ? above : undefined;
}

/** A path as a user writes it: relative where the one before was. */
const asWritten = (meant: string, path: string, text: string | undefined, baseDir: string): string | undefined =>
  text === undefined ? undefined : text === path ? meant : relative(baseDir, meant);
