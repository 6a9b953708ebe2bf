import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installCommand, missingPackages } from '../../service/engine/embedding/packages.ts';
import { slugPattern, slugRule } from '../../text/slug.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { configTemplate, helloTemplate, ignoredLines, tsconfigTemplate } from '../project/templates.ts';
import { installHere } from '../project/package.ts';
import { writeOnce } from '../../files/whole-file.ts';
import { sourceOptions } from '../start/source-options.ts';
import { argument } from '../../text/shell.ts';

/** Adds the lines that a .gitignore lacks; returns whether it changed. */
const ignore = async (path: string): Promise<boolean> => {
  const text = await readFile(path, 'utf8').catch(() => '');
  const present = new Set(text.split('\n').map((line) => line.trim().replace(/^\/|\/$/g, '')));
  const missing = ignoredLines.filter((line) => !present.has(line.replace(/\/$/, '')));
  if (missing.length > 0) await appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
  return missing.length > 0;
};

export const init = defineVerb({
  name: 'init',
  summary: 'Make this folder a Portolan project, with --from also a first pipeline for a table; overwrites nothing.',
  usage: '',
  details:
    'Writes portolan.config.mts, pipelines/hello.yaml, tsconfig.json and lines of .gitignore; package.json stays as it is.\nWith --from the pipeline is one for that table, and not hello: its columns, its id and the text to embed are guessed, and what is guessed is said.',
  options: {
    from: {
      type: 'string',
      value: 'FILE',
      description: 'Write pipelines/NAME.yaml for this table: a file, a quoted glob, or an address (https://, s3://).',
    },
    name: { type: 'string', value: 'NAME', description: 'With --from: name of pipeline and dataset; default: that of the file.' },
    ...sourceOptions,
  },
  examples: ['npx portolan init && npx portolan step new greet', 'npx portolan init --from data/films.csv'],
  async run({ cwd, options, terminal, signal }) {
    const { from, name } = options;
    if (
      from === undefined &&
      (name ?? options.csv ?? options.excel ?? options['file-column'] ?? options.storage ?? options.postgres) !== undefined
    )
      throw new UsageError('--name, --csv, --excel, --file-column, --storage and --postgres belong to --from', 'portolan init --from FILE');
    if (name !== undefined && !slugPattern.test(name)) throw new UsageError(`--name is ${slugRule}, got '${name}'`);
    const write = async (path: string, text: string): Promise<boolean> => {
      const written = await writeOnce(join(cwd, path), text);
      terminal.out(`${written ? 'wrote' : 'kept '} ${path}\n`);
      return written;
    };
    // A table that cannot be read leaves the folder as it is.
    const made =
      from === undefined
        ? undefined
        : await (await import('../first-pipeline/make.ts')).makePipeline(from, { cwd, options, terminal, signal });
    const path = made?.path ?? 'pipelines/hello.yaml';
    await write('portolan.config.mts', configTemplate);
    const written = await write(path, made?.text ?? helloTemplate);
    await write('tsconfig.json', tsconfigTemplate);
    terminal.out(`${(await ignore(join(cwd, '.gitignore'))) ? 'wrote' : 'kept '} .gitignore\n`);
    if (made && written) terminal.out(made.said);
    if (made && !written)
      terminal.err(`${path} is there already and stays as it is; another name: portolan init --from ${argument(from!)} --name NAME\n`);
    if (missingPackages().length > 0) terminal.out(`to embed text by meaning on this machine: ${installCommand}\n`);
    const install = await installHere(cwd);
    if (install)
      terminal.out(
        `first: ${install}\n  the package is not installed in this folder: npx would fetch another of its name, and portolan.config.mts cannot be loaded\n`,
      );
    const start = 'npx portolan dev --detach && npx portolan run';
    terminal.out(`next: ${made ? '' : 'npx portolan step new greet && '}${start} ${path} --connection local\n`);
    return exit.done;
  },
});
