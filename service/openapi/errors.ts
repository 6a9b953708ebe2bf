import type { OperationName, Service } from '../../contracts/index.ts';
import { services } from '../../contracts/index.ts';
import type { JsonSchema } from './schemas.ts';

const place = { type: 'array', items: { type: ['string', 'integer'] } };
const finding = (where: string, what: string): JsonSchema => ({
  type: 'object',
  properties: { [where]: place, [what]: { type: 'string' } },
  required: [where, what],
});

/** The body of a refusal of each API. */
export const errorSchemas: Readonly<Record<Service, JsonSchema>> = {
  maps: {
    type: 'object',
    properties: {
      detail: { anyOf: [{ type: 'string' }, { type: 'array', items: finding('loc', 'msg') }] },
      status_code: { type: 'integer' },
    },
    required: ['detail'],
  },
  instance: {
    type: 'object',
    properties: { error: { type: 'string' }, code: { type: 'string' }, issues: { type: 'array', items: finding('path', 'message') } },
    required: ['error', 'code'],
  },
};

/** The body of a refusal with that status: text where the API writes one as text. */
export const errorContent = (service: Service, status: number, operation: OperationName): object => {
  const { body } = services[service].errors.write({ status, detail: 'words' }, operation);
  return typeof body === 'string'
    ? { 'text/plain': { schema: { type: 'string' } } }
    : { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } };
};
