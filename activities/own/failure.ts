import { readFileSync } from 'node:fs';
import type { OwnCode } from '../../pipelines/own/define.ts';
import { placeOf, placeOfMatch } from '../../text/place-of.ts';
import type { OwnServices } from '../../client/own-fetch.ts';
import { placesOf } from '../../text/stack-places.ts';

/** A function of a user's step, by its name there, and the file of the step. */
export type Called = { file: string; own: OwnCode; name: string };

/**
 * What was thrown as an error whose stack names a place in the user's files: where it names none, as of an output that does not fit
 * its schema, the function that was called.
 */
export function withPlace(thrown: unknown, { file, own, name }: Called): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (placesOf(error.stack).length > 0) return error;
  const source = readSource(file);
  const place = placeOf(source, String(Reflect.get(own, name))) ?? placeOfMatch(source, new RegExp(`\\b${name}\\s*[(:,]`));
  error.stack = `${error.stack ?? `${error.name}: ${error.message}`}\n    at ${name} (${file}:${place.line}:${place.column})`;
  return error;
}

function readSource(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const toLog = (text: string): void => void process.stderr.write(text);

/**
 * An error of a user's code as it is reported: the places in the user's files are named, and the whole stack goes to `stacks`, by default
 * into the worker's log.
 */
export function reported(step: string, thrown: unknown, { stacks = toLog }: Pick<OwnServices, 'stacks'>): Error & { at: string[] } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { stack = '' } = error;
  stacks(`${step}: ${stack}\n`);
  return Object.assign(error, { at: placesOf(stack) });
}
