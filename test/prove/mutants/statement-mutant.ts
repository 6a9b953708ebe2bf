import { allProofs } from '../../../scripts/spec/proofs.ts';
import { allStatements } from '../../../scripts/spec/texts.ts';
import type { Service } from '../../../contracts/index.ts';
import type { Mutant } from './mutant.ts';

/** The statement, of the text of its API, and how its rule is broken in a file of the service. */
export type StatementRow = readonly [statement: string, file: string, find: string, replace: string];

/** What stands before the rule of a mutant that breaks a statement. */
export const ofStatement = 'statement ';

const known = allStatements();
const { proofs } = allProofs(known);

const escaped = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');

/** A mutant that only the tests which name the statement are run for. Fails for an id that no test names. */
export const statementMutant = (api: Service, [statement, file, find, replace]: StatementRow): Mutant => {
  const id = `${api}:${statement}`;
  const tests = proofs.filter(({ ids }) => ids.includes(id));
  const [first] = tests;
  if (!first) throw new Error(`no test of test/spec names ${id}`);
  return {
    file,
    find,
    replace,
    rule: `${ofStatement}${id}`,
    test: [...new Set(tests.map((each) => each.file))],
    title: tests.map(({ title }) => escaped(title)).join('|'),
  };
};
