import { join, normalize, relative, resolve } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { createGlob, folderOf } from '../../text/glob.ts';
import { pollTemplate, stepTemplate, sweepTemplate } from './templates.ts';
import { writeOnce } from '../../files/whole-file.ts';

const namePattern = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)?$/;

/** `greet` → step `own.greet` in `greet.mts`; `acme.greet` → step `acme.greet` in `acme-greet.mts`. */
const stepOf = (name: string): { step: string; base: string } => ({
  step: name.includes('.') ? name : `own.${name}`,
  base: `${name.replace('.', '-')}.mts`,
});

/** Where a step file of this name stands so that the project takes it: in the folder of the first of its patterns that does, or in `steps` there. */
function placeOf(base: string, patterns: readonly string[]): string {
  const place = patterns
    .flatMap((pattern) => ['', 'steps'].map((below) => ({ pattern, path: normalize(join(folderOf(pattern), below, base)) })))
    .find(({ pattern, path }) => createGlob(normalize(pattern))(path));
  if (place !== undefined) return place.path;
  throw new UsageError(
    `the project takes no step file called ${base}: its steps are ${patterns.join(', ') || 'none'}`,
    "in portolan.config.mts: steps: ['steps/*.mts']",
  );
}

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
  const { root, steps } = await loadConfig(cwd);
  const { step, base } = stepOf(name);
  const path = resolve(root, placeOf(base, steps));
  const file = relative(cwd, path);
  if (!(await writeOnce(path, template(step))))
    throw new CommandError(`${file} is there already; nothing was written`, { remedy: 'choose another name, or edit that file' });
  return { file, step };
}
