import { UsageError } from './errors.ts';
import { nearestWord } from './nearest.ts';
import type { VerbEntry } from './verb.ts';

/** The verb of a name. Fails with `UsageError`; `remedy` gets the verb that was probably meant. */
export function findVerb(name: string, verbs: readonly VerbEntry[], remedy: (meant: string | undefined) => string): VerbEntry {
  const entry = verbs.find((verb) => verb.name === name);
  if (entry) return entry;
  const meant = nearestWord(
    name,
    verbs.map((verb) => verb.name),
  );
  throw new UsageError(`'${name}' is not a verb of portolan`, remedy(meant));
}
