import { NotFetched } from '../errors/classes.ts';

/** Why names of things elsewhere cannot be those of files below one folder, for the first of which that holds. */
function problemOf(names: readonly string[]): { name: string; why: string } | undefined {
  const files = new Set<string>();
  for (const name of names) {
    if (files.has(name)) return { name, why: 'two of them would have one name' };
    files.add(name);
  }
  for (const name of names) {
    const parts = name.split('/');
    const odd = parts.find((part) => ['', '.', '..'].includes(part) || part.includes('\0') || Buffer.byteLength(part) > 255);
    if (odd !== undefined) return { name, why: `'${odd}' is no name of a file` };
    // The files of a folder are read by a pattern, which finds no such name.
    const hidden = parts.find((part) => part.startsWith('.'));
    if (hidden !== undefined) return { name, why: `'${hidden}' begins with a dot, and patterns of files leave such names out` };
    const folder = parts.slice(0, -1).findIndex((_, at) => files.has(parts.slice(0, at + 1).join('/')));
    if (folder >= 0) return { name, why: `'${parts.slice(0, folder + 1).join('/')}' is one too, and cannot be a folder` };
  }
  return undefined;
}

/** Fails with `NotFetched` where names of objects cannot be those of files below one folder. */
export function checkNames(names: readonly string[]): void {
  const problem = problemOf(names);
  if (problem)
    throw new NotFetched(
      `the object '${problem.name}' cannot be kept as a file: ${problem.why}`,
      'narrow the pattern, or name objects one by one',
    );
}
