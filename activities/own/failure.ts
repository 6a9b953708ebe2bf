import { fileURLToPath } from 'node:url';
import { secretsRead } from './secrets.ts';

/** Frames that are reported: the details of a failure are small. */
const mostFrames = 5;

const ours = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of this package whose frames say nothing to a user. */
const inside = /^(?:activities|client|contracts|errors|pipelines|store|text|workers|node_modules)\//;

/** Places in the user's own files, `file:line:column`, the innermost first. */
export function framesOf(stack: string | undefined): string[] {
  return (stack ?? '')
    .split('\n')
    .flatMap((line) => /^\s+at (?:.*\()?(?:file:\/\/)?(\/[^()]*?|[A-Za-z]:[^()]*?)(?:\?[^:()]*)?:(\d+):(\d+)\)?$/.exec(line) ?? [])
    .flatMap((part, at, parts) => (at % 4 === 1 ? [`${decodeURI(part)}:${parts[at + 1]}:${parts[at + 2]}`] : []))
    .filter((place) => !place.includes('/node_modules/') && !(place.startsWith(ours) && inside.test(place.slice(ours.length))))
    .slice(0, mostFrames);
}

/**
 * An error of a user's code as it is reported: secrets are taken out of its message, the places in the user's files are named, and
 * the whole stack stands in the worker's log.
 */
export function reported(step: string, thrown: unknown): Error & { at: string[] } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const stack = secretsRead.scrub(error.stack ?? '');
  error.message = secretsRead.scrub(error.message);
  process.stderr.write(`${step}: ${stack}\n`);
  return Object.assign(error, { at: framesOf(stack) });
}
