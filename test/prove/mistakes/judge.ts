import type { Drawn } from './draw-mistakes.ts';
import type { FoundFinding, Project } from './project.ts';

/** What `validate` makes of one mistake. */
export type Judged = Drawn & {
  findings: FoundFinding[];
  found: boolean;
  /** Every finding stands where the mistake is, or is a consequence that another names. */
  inLine: boolean;
  remedied: boolean;
  /** The corrected line put into the file, and what is found then; undefined where no line was given. */
  corrected?: { text: string; findings: FoundFinding[] };
};

/** A finding that says what to do: a line as it should be, a remedy, or what there is instead. */
const hasRemedy = ({ corrected, remedy, message }: FoundFinding): boolean =>
  corrected !== undefined || remedy !== undefined || /did you mean|it has |there (is|are) (only )?\w+,? .*|such as /.test(message);

const withLine = (text: string, line: number, by: string): string => {
  const lines = text.split('\n');
  lines[line - 1] = by;
  return lines.join('\n');
};

/** The first finding is what a reader sees: its line, its remedy and its correction count. */
export async function judge(project: Project, drawn: Drawn): Promise<Judged> {
  const findings = await project.validate(drawn.text);
  const [first] = findings;
  const judged = {
    ...drawn,
    findings,
    found: first !== undefined,
    inLine: first !== undefined && drawn.lines.includes(first.line),
    remedied: first !== undefined && hasRemedy(first),
  };
  if (first?.corrected === undefined) return judged;
  const text = withLine(drawn.text, first.line, first.corrected);
  return { ...judged, corrected: { text, findings: await project.validate(text) } };
}
