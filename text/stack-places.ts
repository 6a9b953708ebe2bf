import { fileURLToPath } from 'node:url';

/** Places that are reported of one stack: the details of a failure are small. */
const mostPlaces = 5;

const ours = fileURLToPath(new URL('../', import.meta.url));

/** Folders of this package whose frames say nothing to a user. */
const inside =
  /^(?:activities|arrow|bench|child|cli|client|config|contracts|dev|errors|files|node_modules|pipelines|runs|scripts|service|store|test|text|workers|workflows)\//;

const frame = /^\s+at (?:.*\()?(?:file:\/\/)?(\/[^()]*?|[A-Za-z]:[^()]*?)(?:\?[^:()]*)?(:\d+:\d+)\)?$/;

/** What Node writes above the stack of an error in a file that it could not read. */
const heading = /^(?:file:\/\/)?(\/[^()]*?)(?:\?[^:()]*)?(:\d+)$/;

/** Places in a user's own files that a stack names, `file:line:column` (or `file:line`), the innermost first. */
export const placesOf = (stack: string | undefined): string[] =>
  (stack ?? '')
    .split('\n')
    .flatMap((line, at) => {
      const [, file, place] = frame.exec(line) ?? (at === 0 ? heading.exec(line) : null) ?? [];
      return file === undefined ? [] : [`${decoded(file)}${place}`];
    })
    .filter((place) => !place.includes('/node_modules/') && !(place.startsWith(ours) && inside.test(place.slice(ours.length))))
    .slice(0, mostPlaces);

/** A stack has addresses or paths: a path may hold what looks like an escape. */
function decoded(file: string): string {
  try {
    return decodeURI(file);
  } catch {
    return file;
  }
}
