import { resolve } from 'node:path';
import { remedied } from '../../pipelines/file/finding-codes.ts';
import type { Finding } from '../../pipelines/file/findings.ts';
import { suggestion } from '../../text/nearest.ts';
import { UsageError } from '../frame/errors.ts';
import { expectTables } from '../start/expect-tables.ts';
import { fileOptions } from '../start/file-options.ts';
import type { OpenFile } from '../start/open-file.ts';
import { lendTables } from '../start/lent-tables.ts';
import { pipelineFiles } from '../start/pipeline-files.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { renderFindings } from '../render/findings.ts';
import { lookOf } from '../render/look.ts';

/** Fails with `UsageError` where what is given for several files is of none of those that were checked. */
function refuseUnknown(opened: readonly OpenFile[], declared: readonly string[], environment: string | undefined): void {
  const [first] = opened;
  if (first === undefined)
    throw new UsageError(`none of the files has an environment '${environment}'`, 'name one that stands under environments: in a file');
  const unknown = Object.keys(first.params).find((name) => !declared.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `none of the files that were checked has a parameter '${unknown}'${suggestion(unknown, declared)}`,
      'name one that stands under params: in a file',
    );
}

export const validate = defineVerb({
  name: 'validate',
  summary: 'Every mistake in a pipeline file, with line, rule and remedy.',
  usage: 'FILE…',
  details:
    'Of a folder: every pipeline in it and below it: YAML and JSON files with steps, modules (.mts) that define one. Reaches no service. Columns are checked where their source is on this host, once the file itself has no mistake.\nExit code: 0 valid, 2 not.',
  options: {
    ...fileOptions,
    json: { type: 'boolean', description: 'One JSON object per finding; `corrected` is the whole line as it was most likely meant.' },
  },
  examples: ['portolan validate pipelines/ingest.yaml', 'portolan validate pipelines'],
  async run(context) {
    const { args, options, terminal, cwd, signal } = context;
    await using tables = lendTables({ signal });
    const files = await pipelineFiles(args, cwd);
    // The child process starts while the rest of the code is loaded.
    if (files[0] !== undefined) await expectTables(resolve(cwd, files[0]), tables);
    const [{ loadConfig }, { findingsOf }, { declaredIn, declaredOf, NoEnvironment, openFile, UnreadableFile }] = await Promise.all([
      import('../../config/load.ts'),
      import('../start/compile-file.ts'),
      import('../start/open-file.ts'),
    ]);
    const loading = loadConfig(cwd);
    loading.catch(() => undefined);
    let valid = true;
    const report = (shown: string, findings: readonly Finding[]): void => {
      // A file that needs no table would be checked all the same.
      signal.throwIfAborted();
      valid &&= findings.length === 0;
      if (options.json) for (const finding of findings) terminal.document('finding', { file: shown, ...finding });
      else terminal.out(findings.length === 0 ? `${shown} is valid\n` : `${renderFindings(shown, findings, lookOf(terminal))}\n`);
    };
    const several = files.length > 1;
    const opened: OpenFile[] = [];
    for (const file of files) {
      try {
        opened.push(await openFile(context, loading, file, tables));
      } catch (error) {
        if (several && error instanceof UnreadableFile)
          report(file, [remedied({ code: 'unreadable', message: error.message, path: '', line: 1, column: 1 })]);
        else if (several && error instanceof NoEnvironment)
          terminal.err(`${file} is not checked: it has no environment '${options.env}'\n`);
        else throw error;
        continue;
      }
      const open = opened.at(-1)!;
      // What is given for several files is for those that know it.
      const params = several ? declaredOf(open.params, open.loaded) : open.params;
      report(open.shown, await findingsOf({ ...open, params }, await loading, tables));
    }
    // Of a file with a finding it may be the parameter.
    if (several && valid) refuseUnknown(opened, [...new Set(opened.flatMap(({ loaded }) => Object.keys(declaredIn(loaded))))], options.env);
    return valid ? exit.done : exit.usage;
  },
});
