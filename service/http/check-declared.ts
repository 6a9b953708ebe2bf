import type { Endpoint } from '../../contracts/endpoint.ts';
import { serviceOf, type OperationName } from '../../contracts/index.ts';
import { HttpError } from '../core/errors.ts';
import { refusalsOf } from '../openapi/statuses.ts';

/** Statuses that say of the service that it cannot, by what it lacks or leads to; they come of some operations alone. */
export const unable: readonly number[] = [501, 502];

/** Fails where such a refusal is none that the contract of its operation, and so OpenAPI and the docs, declare. */
export const checkDeclared = (operation: OperationName, endpoint: Endpoint, error: unknown): void => {
  if (!(error instanceof HttpError) || !unable.includes(error.status) || refusalsOf(endpoint, serviceOf(operation)).has(error.status))
    return;
  throw new Error(`${operation} refuses by ${error.status}, which its contract does not declare: ${error.message}`);
};
