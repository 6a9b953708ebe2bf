import { instanceStatements } from './instance-statements.ts';
import { mapsStatements } from './maps-statements.ts';
import { statementMutant } from './statement-mutant.ts';

/** Of each API, named by the statements that they break, so that a statement whose tests cannot fail is found. */
export const statementsOf = {
  maps: mapsStatements.map((row) => statementMutant('maps', row)),
  instance: instanceStatements.map((row) => statementMutant('instance', row)),
} as const;

export const statements = Object.values(statementsOf).flat();
