import { loadConfig } from '../../config/load.ts';
import { findingsOf, openFile } from '../start/compile-file.ts';
import { fileOptions } from '../start/file-options.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { renderFindings } from '../render/findings.ts';
import { lookOf } from '../render/look.ts';

export const validate = defineVerb({
  name: 'validate',
  summary: 'Every mistake in a pipeline file, with line, rule and remedy.',
  usage: 'FILE',
  details: 'Reaches no service. Column expressions are checked where their source is on this host.\nExit code: 0 valid, 2 not.',
  options: {
    ...fileOptions,
    json: { type: 'boolean', description: 'One JSON object per finding; `corrected` is the whole line as it was most likely meant.' },
  },
  examples: ['portolan validate pipelines/ingest.yaml'],
  async run(context) {
    const { args, options, terminal, cwd } = context;
    const config = await loadConfig(cwd);
    const open = await openFile(context, config, args[0]!);
    const findings = await findingsOf(open, config);
    if (options.json) for (const finding of findings) terminal.json({ file: open.shown, ...finding });
    else terminal.out(findings.length === 0 ? `${open.shown} is valid\n` : `${renderFindings(open.shown, findings, lookOf(terminal))}\n`);
    return findings.length === 0 ? exit.done : exit.usage;
  },
});
