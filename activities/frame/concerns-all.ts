import { isWait } from '../../client/wait.ts';
import { Unavailable } from '../../errors/classes.ts';
import { GivenAway } from './fence.ts';

/** A wait for a limit, a service that is away, and work that was given to another worker stop every item of a chunk alike. */
export const concernsAll = (error: Error): boolean => isWait(error) || error instanceof Unavailable || error instanceof GivenAway;
