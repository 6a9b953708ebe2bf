import { z } from 'zod';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { operations, type OperationName } from '../../contracts/index.ts';
import { notesOf } from '../../contracts/notes.ts';
import { table } from './table.ts';

const marks = (name: OperationName): string => {
  const { effect, irreversible, deprecated }: Endpoint = operations[name];
  return [effect, ...(irreversible ? ['irreversible'] : []), ...(deprecated ? ['deprecated'] : [])].join(', ');
};

/** Every operation with its effect class. */
export const operationTable = (): string =>
  table((Object.keys(operations) as OperationName[]).map((name) => [name, marks(name), operations[name].summary]));

/** One operation in full: request line, effect, limit, input schema. */
export const describeOperation = (name: OperationName): string => {
  const endpoint: Endpoint = operations[name];
  const notes = notesOf(endpoint).map((note) => `  ${note}\n`);
  const schema = z.toJSONSchema(endpoint.input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'custom') jsonSchema.description = 'bytes: --file FILE';
    },
  });
  delete schema.$schema;
  return `${name}: ${endpoint.summary}\n  ${endpoint.method} ${endpoint.path}\n  effect ${endpoint.effect} · limit ${endpoint.limit}\n${notes.join('')}input\n${JSON.stringify(schema, null, 2)}\n`;
};
