import { nowhere, parse } from '../file/parse.ts';
import type { Finding, Path } from '../file/findings.ts';
import { formatPath } from '../file/findings.ts';
import { check } from '../file/schema-findings.ts';
import { desiredFile, type Desired } from './desired.ts';
import { readTable } from './read-table.ts';

/** A file of budgets, by the name under which it is told of. */
export type DesiredText = { name: string; text: string };

const example = {
  others: 'keep',
  organization: { memberLimits: { enabled: true, defaultCents: 5_000, period: 'weekly' } },
  budgets: [{ project: 'Harbour survey', amountCents: 50_000 }],
};

const line = (name: string, { message, remedy, corrected, line: at, column }: Finding): string =>
  `${name}:${at}:${column}: ${message}${corrected === undefined ? (remedy === undefined ? '' : `; ${remedy}`) : `; write ${corrected.trim()}`}`;

/** A text as a value, or what is wrong with it; `say` puts a finding, and `placeOf` a path, into words with their place. */
function read({ name, text }: DesiredText) {
  if (name.endsWith('.csv')) {
    const { value, problems, say } = readTable(text);
    const wrong =
      problems.length > 0 ? [] : check({ value, schema: desiredFile, base: [], of: 'the table', locate: nowhere, literal: true });
    const all = [...problems, ...wrong.map((finding) => say(finding.path, finding))].map((problem) => `${name}:${problem}`);
    return { value, problems: all, placeOf: (path: Path) => `${name}:${say(formatPath(path))}` };
  }
  const { value, findings, locate } = parse(text, name.endsWith('.json') ? 'json' : 'yaml');
  const wrong =
    value === undefined || findings.length > 0
      ? findings
      : check({ value, schema: desiredFile, base: [], of: 'the file', locate, example, literal: true });
  const placeOf = (path: Path): string => {
    const place = locate.value(path);
    return `${name}:${place.line}:${place.column}: ${formatPath(path)}`;
  };
  return { value, problems: wrong.map((finding) => line(name, finding)), placeOf };
}

/** What the files say together, or what is wrong with them: a line each, with file, line, field, rule and remedy. */
export function readDesired(files: readonly DesiredText[]): { desired: Desired } | { problems: string[] } {
  const problems: string[] = [];
  const desired: Desired = { others: 'keep', organization: undefined, budgets: [] };
  const said = new Map<string, string>();
  /** What only one of the files may say. */
  const once = (what: string, name: string): boolean => {
    const before = said.get(what);
    said.set(what, before ?? name);
    if (before !== undefined) problems.push(`${name}: ${what} is said in ${before} already; say it once`);
    return before === undefined;
  };
  for (const given of files) {
    const { name } = given;
    const { value, problems: wrong, placeOf } = read(given);
    problems.push(...wrong);
    if (value === undefined || wrong.length > 0) continue;
    const file = desiredFile.parse(value);
    if (file.others !== undefined && once('others', name)) desired.others = file.others;
    if (file.organization !== undefined && once('organization', name)) desired.organization = file.organization;
    for (const [at, budget] of file.budgets.entries()) {
      const place = placeOf(['budgets', at, 'project']);
      if (once(`the budget of project ${budget.project}`, place)) desired.budgets.push(budget);
    }
  }
  return problems.length > 0 ? { problems } : { desired };
}
