import { resolve } from 'node:path';
import { expectTables } from '../start/expect-tables.ts';
import { fileOptions } from '../start/file-options.ts';
import { lendTables } from '../start/lent-tables.ts';
import { pipelineFiles } from '../start/pipeline-files.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { renderFindings } from '../render/findings.ts';
import { lookOf } from '../render/look.ts';

export const validate = defineVerb({
  name: 'validate',
  summary: 'Every mistake in a pipeline file, with line, rule and remedy.',
  usage: 'FILE…',
  details:
    'Of a folder: every pipeline in it and below it. Reaches no service. Columns are checked where their source is on this host, once the file itself has no mistake.\nExit code: 0 valid, 2 not.',
  options: {
    ...fileOptions,
    json: { type: 'boolean', description: 'One JSON object per finding; `corrected` is the whole line as it was most likely meant.' },
  },
  examples: ['portolan validate pipelines/ingest.yaml', 'portolan validate pipelines'],
  async run(context) {
    const { args, options, terminal, cwd } = context;
    await using tables = lendTables();
    const files = await pipelineFiles(args, cwd);
    // The child process starts while the rest of the code is loaded.
    if (files[0] !== undefined) await expectTables(resolve(cwd, files[0]), tables);
    const [{ loadConfig }, { findingsOf }, { declaredOf, openFile }] = await Promise.all([
      import('../../config/load.ts'),
      import('../start/compile-file.ts'),
      import('../start/open-file.ts'),
    ]);
    const loading = loadConfig(cwd);
    loading.catch(() => undefined);
    let valid = true;
    for (const file of files) {
      const open = await openFile(context, loading, file, tables);
      // What is given for several files is for those that know it.
      const params = files.length > 1 ? declaredOf(open.params, open.loaded) : open.params;
      const findings = await findingsOf({ ...open, params }, await loading, tables);
      valid &&= findings.length === 0;
      if (options.json) for (const finding of findings) terminal.document('finding', { file: open.shown, ...finding });
      else terminal.out(findings.length === 0 ? `${open.shown} is valid\n` : `${renderFindings(open.shown, findings, lookOf(terminal))}\n`);
    }
    return valid ? exit.done : exit.usage;
  },
});
