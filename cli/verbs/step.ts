import { join, relative } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { pollTemplate, stepTemplate, sweepTemplate } from '../project/templates.ts';
import { defineVerb } from '../frame/verb.ts';
import { writeNew } from '../project/write-new.ts';

const namePattern = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)?$/;

/** `greet` → step `own.greet` in `steps/greet.mts`; `acme.greet` → step `acme.greet` in `steps/acme-greet.mts`. */
const stepFileOf = (name: string): { step: string; file: string } => ({
  step: name.includes('.') ? name : `own.${name}`,
  file: `steps/${name.replace('.', '-')}.mts`,
});

export const step = defineVerb({
  name: 'step',
  summary: 'step new NAME: the file of a step of your own.',
  usage: 'new NAME',
  details:
    'NAME is lower-case letters, digits and hyphens: greet makes the step own.greet; with a dot of your own, acme.greet stays as it is.',
  options: {
    items: { type: 'boolean', description: 'A step that works on items, one by one, in chunks.' },
    poll: { type: 'boolean', description: 'A step that starts something and waits until it is done.' },
  },
  examples: ['portolan step new greet', 'portolan step new acme.invoice --items', 'portolan step new acme.export --poll'],
  async run({ args: [act, name], options, cwd, terminal }) {
    if (act !== 'new')
      throw new UsageError(`step has one act: new, got '${act}'`, 'portolan step new NAME; the steps there are: portolan steps');
    if (!namePattern.test(name!))
      throw new UsageError(
        `'${name}' is not a step name: lower-case letters, digits, hyphens and at most one dot`,
        'for example: portolan step new greet',
      );
    if (options.items && options.poll)
      throw new UsageError('a step works on items or waits: --items and --poll were both given', 'give one');
    const template = options.items ? sweepTemplate : options.poll ? pollTemplate : stepTemplate;
    const { root } = await loadConfig(cwd);
    const made = stepFileOf(name!);
    const path = join(root, made.file);
    const shown = relative(cwd, path);
    if (!(await writeNew(path, template(made.step))))
      throw new CommandError(`${shown} is there already; nothing was written`, { remedy: 'choose another name, or edit that file' });
    terminal.out(`wrote ${shown}: the step ${made.step}\nuse it in a pipeline as \`use: ${made.step}\`\n`);
    return exit.done;
  },
});
