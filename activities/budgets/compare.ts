import { join } from 'node:path';
import { readBudgets } from '../../client/budgets-there.ts';
import { patient } from '../../client/patient.ts';
import { BadInput, Drifted } from '../../errors/classes.ts';
import { compareFiles } from '../../pipelines/budgets/compare-files.ts';
import { movedBy } from '../../pipelines/budgets/differences.ts';
import { countDifferences, sayDifferences, summariseDifferences } from '../../pipelines/budgets/say.ts';
import type { definition } from '../../pipelines/steps/budgets/compare.ts';
import { knownAmounts } from '../../store/known-amounts.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { listUnchanged } from '../sources/list-unchanged.ts';

/** Problems that an error names, so that it can be read. */
const mostProblems = 10;

const refused = (problems: readonly string[]): BadInput => {
  const said = problems.slice(0, mostProblems).map((problem, at) => (problems.length === 1 ? problem : `(${at + 1}) ${problem}`));
  const more = problems.length > mostProblems ? `\nand ${problems.length - mostProblems} more` : '';
  return new BadInput('bad_input', `${said.join('\n')}${more}`);
};

/** Differences that the message of a drift names. */
const mostDrifted = 10;

const activity: ActivityOf<typeof definition> = {
  async run({ desired: pattern, onDifference }, context) {
    const known = knownAmounts(context.store, context.connection('instance').url);
    const compared = await compareFiles(
      await listUnchanged(pattern, context),
      (projects, withMembers) => readBudgets(patient(context), projects, withMembers),
      known.of,
    );
    if ('problems' in compared) throw refused(compared.problems);
    const { differences, exact } = compared;
    for (const [budget, seen] of exact) await known.set(budget, seen);
    const name = join('budgets', context.step, `${context.attemptId}.json`);
    await context.store.writeJson(name, differences);
    const says = sayDifferences(differences);
    const summary = summariseDifferences(differences);
    if (onDifference === 'fail' && differences.length > 0) throw new Drifted(`${summary}; ${says.slice(0, mostDrifted).join('; ')}`);
    return {
      differences: context.store.path(name),
      count: differences.length,
      kinds: countDifferences(differences),
      movedCents: differences.reduce((sum, each) => sum + movedBy(each), 0),
      says,
      summary,
    };
  },
};
export default activity;
