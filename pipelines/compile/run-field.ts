import { nearest } from '../../text/nearest.ts';
import type { TypedFields } from '../expressions/typed.ts';
import { inOurWords } from '../file/other-words.ts';

/** A name that the run does not have: what is wrong, which name of the path it is, what was most likely meant instead, and what to do. */
export type WrongField = { message: string; index: number; meant: string | undefined; remedy: string };

/** What is wrong with a path below `run`, such as `window`, `start`; undefined where the run has it. */
export function wrongField(path: readonly string[], run: TypedFields): WrongField | undefined {
  let within: TypedFields | string = run;
  for (const [index, name] of path.entries()) {
    const of = ['run', ...path.slice(0, index)].join('.');
    const wrong = wrongName(name, within, of);
    if (wrong !== undefined) return { ...wrong, index, remedy: (index === 0 ? scheduleFor(name) : undefined) ?? wrong.remedy };
    within = (within as TypedFields)[name]!;
  }
  return undefined;
}

function wrongName(name: string, within: TypedFields | string, of: string): Omit<WrongField, 'index'> | undefined {
  if (typeof within === 'string') return { message: `${of} is a text: it has no field '${name}'`, meant: undefined, remedy: `write ${of}` };
  const known = Object.keys(within);
  if (known.includes(name)) return undefined;
  const meant = nearest(name, known) ?? inOurWords(name, known);
  const remedy = meant === undefined ? 'take one of these' : `write ${of}.${meant}`;
  return { message: `${of} has no field '${name}'; it has ${known.join(', ')}`, meant, remedy };
}

/** What gives the run the fields that it has where its file has a schedule. */
const scheduleFor = (name: string): string | undefined =>
  name === 'window' || name === 'scheduledAt'
    ? `give the file a schedule with it: schedule: { cron: "15 6 * * *"${name === 'window' ? ', window: day' : ''} }`
    : undefined;
