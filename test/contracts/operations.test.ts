import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { pathFields, type Endpoint } from '../../contracts/endpoint.ts';
import { nameOf, operations, type OperationName } from '../../contracts/index.ts';
import type { QueryType } from '../../contracts/query.ts';

const all: [OperationName, Endpoint][] = Object.entries(operations).map(([name, endpoint]) => [name as OperationName, endpoint]);

const fieldsOf = (schema: z.ZodType): Record<string, z.core.JSONSchema.BaseSchema> =>
  (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {}) as Record<string, z.core.JSONSchema.BaseSchema>;

/** JSON types of values that a query type can carry. */
const carries: Record<QueryType, readonly string[]> = {
  text: ['string'],
  number: ['number', 'integer'],
  // What is not `true` or `false` stays text.
  boolean: ['boolean', 'string'],
  list: ['array'],
  commas: ['array'],
  json: ['object', 'array', 'string', 'number', 'integer', 'boolean'],
};

const typesOf = ({ type, anyOf }: z.core.JSONSchema.BaseSchema): unknown[] => (anyOf ? anyOf.flatMap(typesOf) : [type].flat());

describe.each(all)('%s', (name, endpoint) => {
  const fields = fieldsOf(endpoint.input);
  const inPath = pathFields(endpoint.path);
  const query = endpoint.query ?? {};

  test('its path and query name fields of its input', () => {
    expect(Object.keys(fields)).toEqual(expect.arrayContaining([...inPath, ...Object.keys(query)]));
    expect(nameOf(endpoint)).toBe(name);
  });

  test('every field of a GET that is not in the path has a query type', () => {
    if (endpoint.method === 'GET') expect(Object.keys(fields).toSorted()).toEqual([...inPath, ...Object.keys(query)].toSorted());
  });

  test('a query type carries what the schema takes', () => {
    for (const [field, type] of Object.entries(query))
      for (const taken of typesOf(fields[field]!).filter((each) => each !== 'null'))
        expect([field, carries[type]]).toEqual([field, expect.arrayContaining([taken])]);
  });
});
