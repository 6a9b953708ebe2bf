import { NotFetched } from '../errors/classes.ts';
import type { Refusal } from './ask.ts';

const remedies: Readonly<Record<number, string>> = {
  401: 'send a secret that is valid: headers: { authorization: { secret: NAME, scheme: Bearer } }',
  403: 'use a secret that may read it; where its address was signed for some time, take a new one',
  404: 'correct the address',
  410: 'correct the address',
};

/** What a web server's refusal means: no later try would change it. */
export const webRefusal: Refusal = ({ status, place }) =>
  new NotFetched(`${place} answers ${status}`, remedies[status] ?? 'see at its server why it refuses the file');
