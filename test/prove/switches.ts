import { ofStatement } from './mutants/statement-mutant.ts';
import { statements } from './mutants/statements.ts';
import { proof as mutants } from './mutants.ts';
import { line, type Proof } from './proof.ts';

/** Statements whose rule is broken, at least. */
const least = 60;

export const proof: Proof = {
  name: 'switches',
  sets: ['maps'],
  anySources: true,
  what: `${statements.length} rules of the maps text broken in the service, one at a time: each is seen by the tests that name the statement`,
  async run(context) {
    const ids = new Set(statements.map(({ rule }) => rule));
    const lines = await mutants.run({ ...context, only: context.only ?? ofStatement });
    return [line('statements whose rule is broken', ids.size, `≥ ${least}`, ids.size >= least), ...lines];
  },
};
