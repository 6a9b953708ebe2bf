import { z } from 'zod';
import { operations, type OperationName } from '../../contracts/index.ts';
import { table } from './table.ts';

const marks = (name: OperationName): string =>
  [operations[name].effect, operations[name].irreversible ? 'irreversible' : ''].filter(Boolean).join(', ');

/** Every operation with its effect class. */
export const operationTable = (): string =>
  table((Object.keys(operations) as OperationName[]).map((name) => [name, marks(name), operations[name].summary]));

/** One operation in full: request line, effect, limit, input schema. */
export const describeOperation = (name: OperationName): string => {
  const endpoint = operations[name];
  const schema = z.toJSONSchema(endpoint.input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'custom') jsonSchema.description = 'bytes: --file FILE';
    },
  });
  delete schema.$schema;
  return `${name}: ${endpoint.summary}\n  ${endpoint.method} ${endpoint.path}\n  effect ${marks(name)} · limit ${endpoint.limit}\ninput\n${JSON.stringify(schema, null, 2)}\n`;
};
