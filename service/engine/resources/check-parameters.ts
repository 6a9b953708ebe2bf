import { resourceKinds } from '../../../contracts/maps/resources.ts';
import { suggestion } from '../../../text/nearest.ts';
import { Unmakeable } from './making.ts';
import type { Resource } from './store.ts';

/**
 * Fails for a parameter that the kind does not have. A request may hold further ones, of which the hosted service may know some; here none
 * is obeyed, and what was made without it would not be what was asked for.
 */
export function checkParameters({ kind, params }: Pick<Resource, 'kind' | 'params'>): void {
  const known = Object.keys(resourceKinds[kind].shape);
  const unknown = Object.keys(params).find((name) => !known.includes(name) && params[name] !== null);
  if (unknown !== undefined) throw new Unmakeable(`${JSON.stringify(unknown)} is no parameter of a ${kind}${suggestion(unknown, known)}`);
}
