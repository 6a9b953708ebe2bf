import { join, relative } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { pollTemplate, stepTemplate, sweepTemplate } from './templates.ts';
import { writeOnce } from '../../files/whole-file.ts';

const namePattern = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)?$/;

/** `greet` → step `own.greet` in `steps/greet.mts`; `acme.greet` → step `acme.greet` in `steps/acme-greet.mts`. */
const stepFileOf = (name: string): { step: string; file: string } => ({
  step: name.includes('.') ? name : `own.${name}`,
  file: `steps/${name.replace('.', '-')}.mts`,
});

type Kind = { items?: boolean | undefined; poll?: boolean | undefined };

/** Writes the file of a step of this name, relative to the project of the folder; returns what was written. Overwrites nothing. */
export async function newStep(name: string, { items, poll }: Kind, cwd: string): Promise<{ file: string; step: string }> {
  if (!namePattern.test(name))
    throw new UsageError(
      `'${name}' is not a step name: lower-case letters, digits, hyphens and at most one dot`,
      'for example: portolan step new greet',
    );
  if (items && poll) throw new UsageError('a step works on items or waits: --items and --poll were both given', 'give one');
  const template = items ? sweepTemplate : poll ? pollTemplate : stepTemplate;
  const { root } = await loadConfig(cwd);
  const made = stepFileOf(name);
  const path = join(root, made.file);
  const file = relative(cwd, path);
  if (!(await writeOnce(path, template(made.step))))
    throw new CommandError(`${file} is there already; nothing was written`, { remedy: 'choose another name, or edit that file' });
  return { file, step: made.step };
}
