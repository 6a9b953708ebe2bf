// `npm run check`: every row of test/prove/mutants fits the code, so that whoever changes a line brings its rule along.
import { problemsIn } from '../test/prove/mutants/problems.ts';
import { mutants } from '../test/prove/mutants/table.ts';

const problems = problemsIn(mutants);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
