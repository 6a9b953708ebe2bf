import type { Finding, Locate } from './findings.ts';

/** What one line has in the place of another's characters. */
type Change = { from: number; to: number; by: string };

/** Findings of one line correct it together, where what they change does not overlap: a line is put in once. */
export function together(findings: readonly Finding[], locate: Locate): Finding[] {
  const all = new Map<number, string>();
  const correcting = findings.filter(({ corrected }) => corrected !== undefined);
  for (const [line, of] of Map.groupBy(correcting, (each) => each.line)) {
    const corrected = [...new Set(of.map((each) => each.corrected!))];
    const text = corrected.length < 2 ? undefined : locate.line(line);
    const made = text === undefined ? undefined : joined(text, corrected);
    if (made !== undefined) all.set(line, made);
  }
  return findings.map((each) => (each.corrected !== undefined && all.has(each.line) ? { ...each, corrected: all.get(each.line)! } : each));
}

/** A line with all changes of its corrections; undefined where two of them touch. */
function joined(text: string, corrected: readonly string[]): string | undefined {
  const changes = corrected.map((each) => changeOf(text, each)).toSorted((a, b) => b.from - a.from);
  if (changes.some((each, index) => index > 0 && each.to >= changes[index - 1]!.from)) return undefined;
  return changes.reduce((made, { from, to, by }) => made.slice(0, from) + by + made.slice(to), text);
}

function changeOf(text: string, corrected: string): Change {
  const shorter = Math.min(text.length, corrected.length);
  let from = 0;
  while (from < shorter && text[from] === corrected[from]) from++;
  let behind = 0;
  while (behind < shorter - from && text.at(-1 - behind) === corrected.at(-1 - behind)) behind++;
  return { from, to: text.length - behind, by: corrected.slice(from, corrected.length - behind) };
}
