import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/sources.mjs';
import { mutated, testsOf, type Mutant } from './mutant.ts';
import { ofStatement } from './statement-mutant.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Why a row says nothing of the code as it is: its text is gone, or its tests are. */
function problemsOf(mutant: Mutant): string[] {
  const { file, find, replace, title } = mutant;
  if (!existsSync(join(root, file))) return [`there is no ${file}`];
  if (find === replace) return [`it changes nothing in ${file}`];
  const gone = testsOf(mutant).filter((test) => !existsSync(join(root, test)));
  if (gone.length > 0) return gone.map((test) => `there is no ${test}`);
  if (title !== undefined && !testsOf(mutant).some((test) => new RegExp(title).test(read(test)))) return [`no test has the title ${title}`];
  try {
    mutated(read(file), mutant);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

const statement = new RegExp(`^${ofStatement}(\\w+):.*`);

/** The rule of a row; of one that breaks a statement also the file in which it stands, under a name without its API. */
const named = ({ rule }: Mutant): string => rule.replace(statement, '$& (without `$1:` in test/prove/mutants/$1-statements.ts)');

/** Every problem of a table, each with the rule of its row. */
export const problemsIn = (mutants: readonly Mutant[]): string[] => {
  const rules = mutants.map(({ rule }) => rule);
  return mutants.flatMap((mutant, at) => [
    ...problemsOf(mutant).map((problem) => `${named(mutant)}: ${problem}`),
    ...(rules.indexOf(mutant.rule) === at ? [] : [`${named(mutant)}: two rows say so; give one of them the words of its own rule`]),
  ]);
};
