import { scripts, type Shell } from '../completion/scripts.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';

const isShell = (name: string): name is Shell => Object.hasOwn(scripts, name);

export const completion = defineVerb({
  name: 'completion',
  summary: 'Let your shell complete verbs, options, runs, steps and files.',
  usage: 'SHELL [WORD…]',
  details: `Prints what the shell reads once, at its start:
  bash  source <(portolan completion bash)
  zsh   source <(portolan completion zsh)
  fish  portolan completion fish | source`,
  options: {
    words: { type: 'boolean', description: 'What may stand at the end of the WORDs behind portolan: a word a line, a tab and what it is.' },
  },
  examples: ['portolan completion bash', 'portolan completion bash --words -- run pipelines/'],
  async run({ args: [shell, ...words], options, terminal, cwd, verbs }) {
    if (!isShell(shell!)) throw new UsageError(`there is no completion for '${shell}'`, `shells: ${Object.keys(scripts).join(', ')}`);
    if (!options.words) {
      terminal.data(scripts[shell]);
      return exit.done;
    }
    const { complete } = await import('../completion/complete.ts');
    const found = await complete(words, { cwd, verbs });
    for (const { word, says } of found.words) terminal.data(`${word}\t${says.split(/(?<=[.:;])\s/, 1)[0]}\n`);
    // A line of a tab alone: names of files.
    if (found.files) terminal.data('\t\n');
    return exit.done;
  },
});
