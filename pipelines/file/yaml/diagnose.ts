import { indented, indentOf, repairs, type BrokenLine, type Repair } from './repairs.ts';

/** What is wrong with a text that cannot be read: its line, from 1, and the line as it was most likely meant. */
export type Diagnosis = { line: number; column: number; message: string; corrected: string };

/** A bracket or quote may have been opened so many lines above the place where reading ends. */
const farthest = 60;

/** Characters that are read in all trials: a small file is read some hundred times, a large one hardly at all. */
const mostCharacters = 2_000_000;
const mostTries = 600;

/**
 * The one line whose change makes a text readable, and leaves least that is wrong: lines near the error first. Undefined where no
 * single change does. `wrongIn` counts what is wrong in a whole text, undefined where it cannot be read; `line` is that of the error,
 * from 1.
 */
export function diagnose(text: string, line: number, wrongIn: (text: string) => number | undefined): Diagnosis | undefined {
  const lines = text.split('\n');
  const holds = (index: number, step: number): string | undefined => {
    for (let at = index + step; at >= 0 && at < lines.length; at += step) if (/^\s*[^\s#]/.test(lines[at]!)) return lines[at];
    return undefined;
  };
  let tries = Math.max(0, mostTries - Math.min(mostTries, mostCharacters / (text.length + 1)));
  const near = [0, -1, 1, -2, 2].map((offset) => line - 1 + offset).filter((index) => index >= 0 && index < lines.length);
  const far = lines
    .map((_, index) => index)
    .slice(Math.max(0, line - 1 - farthest), Math.max(0, line - 3))
    .toReversed();
  /** A line is asked about where it holds something. */
  const candidates = (indices: readonly number[], make: (broken: BrokenLine) => Pick<Diagnosis, 'message' | 'corrected'>[]): Candidate[] =>
    indices.flatMap((index) => {
      const broken = lines[index]!.replace(/\r$/, '');
      if (!/^\s*[^\s#]/.test(broken)) return [];
      return make({ line: broken, above: holds(index, -1), below: holds(index, 1), around: around(lines, index) }).map((each) => ({
        ...each,
        index,
        broken,
      }));
    });
  /** The first of those that leave least. */
  const best = (of: readonly Candidate[]): Candidate | undefined => {
    let found: { candidate: Candidate; wrong: number } | undefined;
    for (const candidate of of) {
      if (++tries > mostTries || found?.wrong === 0) break;
      const wrong = wrongIn(lines.with(candidate.index, candidate.corrected).join('\n'));
      if (wrong !== undefined && wrong < (found?.wrong ?? Infinity)) found = { candidate, wrong };
    }
    return found?.candidate;
  };
  const repaired = (of: readonly Repair[]) => (broken: BrokenLine) =>
    of.flatMap(({ message, lines: make }) => make(broken).map((corrected) => ({ message, corrected })));
  const found =
    best([
      ...candidates(near, repaired(repairs)),
      // Of several lines that could be moved, the one that is nearest to its place, stands alone, or comes last.
      ...candidates(near, (broken) => indented(broken).map((corrected) => ({ message: moved, corrected }))).toSorted(
        (a, b) => shift(a) - shift(b) || gain(b, lines) - gain(a, lines) || b.index - a.index,
      ),
    ]) ?? best(candidates(far, repaired(repairs.filter(({ far: broken }) => broken))));
  if (!found) return undefined;
  const { index, broken, message, corrected } = found;
  return { line: index + 1, column: firstChange(broken, corrected), message, corrected };
}

type Candidate = Pick<Diagnosis, 'message' | 'corrected'> & { index: number; broken: string };

const moved = 'this line does not stand below the others of its kind; their indentation must be the same';

/** Indentations of the lines that the line above an index stands in. */
function around(lines: readonly string[], index: number): string[] {
  const found: string[] = [];
  for (let at = index - 1; at >= 0 && found.at(-1) !== ''; at--) {
    const each = lines[at]!;
    if (/^ *[^\s#]/.test(each) && indentOf(each).length < (found.at(-1)?.length ?? Infinity)) found.push(indentOf(each));
  }
  return found;
}

/** By how many columns a line is moved. */
const shift = ({ broken, corrected }: Candidate): number => Math.abs(indentOf(broken).length - indentOf(corrected).length);

/** How many lines have the new indentation, beside how many have the old one. */
function gain({ broken, corrected }: Candidate, lines: readonly string[]): number {
  const count = (like: string): number => lines.filter((line) => line.trim() !== '' && indentOf(line) === indentOf(like)).length;
  return count(corrected) - count(broken);
}

/** Where two lines begin to differ, from 1. */
function firstChange(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  return at + 1;
}
