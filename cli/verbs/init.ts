import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exit } from '../frame/exit.ts';
import { configTemplate, helloTemplate, ignoredLines, tsconfigTemplate } from '../project/templates.ts';
import { defineVerb } from '../frame/verb.ts';
import { writeNew } from '../project/write-new.ts';

const files: readonly (readonly [string, string])[] = [
  ['portolan.config.mts', configTemplate],
  ['pipelines/hello.yaml', helloTemplate],
  ['tsconfig.json', tsconfigTemplate],
];

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
  summary: 'Make this folder a Portolan project; overwrites nothing.',
  usage: '',
  details: 'Writes portolan.config.mts, pipelines/hello.yaml, tsconfig.json and lines of .gitignore; package.json stays as it is.',
  options: {},
  examples: ['npx portolan init && npx portolan step new greet'],
  async run({ cwd, terminal }) {
    for (const [name, text] of files) terminal.out(`${(await writeNew(join(cwd, name), text)) ? 'wrote' : 'kept '} ${name}\n`);
    terminal.out(`${(await ignore(join(cwd, '.gitignore'))) ? 'wrote' : 'kept '} .gitignore\n`);
    terminal.out(
      'next: npx portolan step new greet && npx portolan dev --detach && npx portolan run pipelines/hello.yaml --connection local\n',
    );
    return exit.done;
  },
});
