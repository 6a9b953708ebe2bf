import { ApiError } from '../../client/errors.ts';
import { remedyOfStatus } from '../../errors/meanings.ts';

/** Why nobody knows something before a run: its service could not be read, with what helps where that is known. */
export function notRead(what: string, error: Error & { remedy?: unknown }): { because: string } {
  const known = error instanceof ApiError ? remedyOfStatus(error.status) : error.remedy;
  return { because: `${what} could not be read: ${error.message}${typeof known === 'string' ? `; ${known}` : ''}` };
}
