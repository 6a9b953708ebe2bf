import { Environment } from '@marcbachmann/cel-js';

/** Version of the expression library, kept in every plan: the same text could mean something else under another. */
export const celVersion = '@marcbachmann/cel-js 8.0.0';

/** Characters of one expression. */
export const maxLength = 4_096;

/** What an expression may refer to in every place; inside a loop its item has a name beside them. */
export const roots = ['params', 'steps', 'run'] as const;

/**
 * Numbers of JSON have one type, those of CEL have two: a field of type number that happens to hold 2 is an
 * integer there. Mixed arithmetic therefore gives a double, as it would if the field held 2.5.
 */
function mixed(environment: Environment): Environment {
  const operators = {
    '+': (a: number, b: number) => a + b,
    '-': (a: number, b: number) => a - b,
    '*': (a: number, b: number) => a * b,
    '/': (a: number, b: number) => a / b,
  };
  for (const [operator, apply] of Object.entries(operators)) {
    for (const types of [
      ['int', 'double'],
      ['double', 'int'],
    ]) {
      environment.registerOperator(`${types[0]} ${operator} ${types[1]}`, (a: bigint | number, b: bigint | number) =>
        apply(Number(a), Number(b)),
      );
    }
  }
  return environment;
}

const bare = mixed(
  new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    // Names of items: which there are depends on the place.
    unlistedVariablesAreDyn: true,
    limits: { maxAstNodes: 500, maxDepth: 32, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 },
  }),
);

/** An environment of its own, whose names are declared by `declare`. */
export const createEnvironment = (declare: (environment: Environment) => void): Environment => {
  const environment = bare.clone();
  declare(environment);
  return environment;
};

/** What is known of the names in the run: nothing but their roots. */
export const environment = createEnvironment((created) => {
  for (const root of roots) created.registerVariable(root, 'map');
});
