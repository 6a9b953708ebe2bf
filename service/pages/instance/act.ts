import { pathFields } from '../../../contracts/endpoint.ts';
import { operations, services, type OperationName } from '../../../contracts/index.ts';
import { HttpError } from '../../core/errors.ts';
import type { InstancePagesState } from './state.ts';

type Sent = { [field: string]: unknown };

/** Sends an operation as every client does, with a key: scopes, limits, log and journal are those of the API. What is refused is an `HttpError`. */
export const act = async ({ fetch, key }: InstancePagesState, operation: OperationName, input: Sent): Promise<void> => {
  const { method, path } = operations[operation];
  const named = new Set(pathFields(path));
  const address = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(input[field])));
  const body = Object.fromEntries(Object.entries(input).filter(([field]) => !named.has(field)));
  const answer = await fetch(
    new Request(new URL(address, 'http://127.0.0.1'), {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  if (answer.ok) return;
  const said = services.instance.errors.read(await answer.json().catch(() => undefined));
  throw new HttpError(answer.status, said?.detail ?? `the API answered with ${answer.status}`);
};
