import { serviceNames, services } from '../../contracts/index.ts';
import { ofStatement } from './mutants/statement-mutant.ts';
import { statements, statementsOf } from './mutants/statements.ts';
import { proof as mutants } from './mutants.ts';
import { line, type Proof } from './proof.ts';

/** Statements of each text whose rule is broken, at least. */
const least = 60;

export const proof: Proof = {
  name: 'switches',
  sets: ['maps', 'agents'],
  anySources: true,
  what: `${statements.length} rules of the two texts broken in the service, one at a time: each is seen by the tests that name the statement`,
  async run(context) {
    const lines = await mutants.run({ ...context, only: context.only ?? ofStatement });
    const broken = serviceNames.map((name) => {
      const ids = new Set(statementsOf[name].map(({ rule }) => rule));
      return line(`statements of the ${services[name].title} whose rule is broken`, ids.size, `≥ ${least}`, ids.size >= least);
    });
    return [...broken, ...lines];
  },
};
