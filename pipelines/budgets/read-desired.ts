import { parse } from '../file/parse.ts';
import type { Finding, Path } from '../file/findings.ts';
import { formatPath } from '../file/findings.ts';
import { check } from '../file/schema-findings.ts';
import { desiredFile, type Desired } from './desired.ts';

/** A file of budgets, by the name under which it is told of. */
export type DesiredText = { name: string; text: string };

const example = {
  others: 'keep',
  organization: { memberLimits: { enabled: true, defaultCents: 5_000, period: 'weekly' } },
  budgets: [{ project: 'Harbour survey', amountCents: 50_000 }],
};

const line = (name: string, { message, remedy, corrected, line: at, column }: Finding): string =>
  `${name}:${at}:${column}: ${message}${corrected === undefined ? (remedy === undefined ? '' : `; ${remedy}`) : `; write ${corrected.trim()}`}`;

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
  for (const { name, text } of files) {
    const { value, findings, locate } = parse(text, name.endsWith('.json') ? 'json' : 'yaml');
    const wrong =
      value === undefined || findings.length > 0
        ? findings
        : check({ value, schema: desiredFile, base: [], of: 'the file', locate, example, literal: true });
    problems.push(...wrong.map((finding) => line(name, finding)));
    if (value === undefined || wrong.length > 0) continue;
    const file = desiredFile.parse(value);
    if (file.others !== undefined && once('others', name)) desired.others = file.others;
    if (file.organization !== undefined && once('organization', name)) desired.organization = file.organization;
    for (const [at, budget] of file.budgets.entries()) {
      const path: Path = ['budgets', at, 'project'];
      const place = locate.value(path);
      if (once(`the budget of project ${budget.project}`, `${name}:${place.line}:${place.column}: ${formatPath(path)}`))
        desired.budgets.push(budget);
    }
  }
  return problems.length > 0 ? { problems } : { desired };
}
