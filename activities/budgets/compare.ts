import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles } from '../../child/listed-files.ts';
import { readBudgets } from '../../client/budgets-there.ts';
import { BadInput, Drifted } from '../../errors/classes.ts';
import { askedOf } from '../../pipelines/budgets/asked.ts';
import { differencesOf, movedBy } from '../../pipelines/budgets/differences.ts';
import { readDesired } from '../../pipelines/budgets/read-desired.ts';
import { countDifferences, sayDifferences, summariseDifferences } from '../../pipelines/budgets/say.ts';
import { printName } from '../../pipelines/source-name.ts';
import type { definition } from '../../pipelines/steps/budgets/compare.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';

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
    const { files, sha256, bytes } = await listFiles(pattern);
    refuseChanged(context, printName({ path: pattern, raw: true, list: true }), { sha256, bytes, rows: files.length });
    const texts = await Promise.all(files.map(async ({ path, name }) => ({ name, text: await readFile(path, 'utf8') })));
    const read = readDesired(texts);
    if ('problems' in read) throw refused(read.problems);
    const { projects, withMembers } = askedOf(read.desired);
    const compared = differencesOf(read.desired, await readBudgets(context, projects, withMembers));
    if ('problems' in compared) throw refused(compared.problems);
    const { differences } = compared;
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
