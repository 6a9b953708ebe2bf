import { z } from 'zod';

/** A text is the file of its bytes, so that a pipeline file can give one. */
export const blob = z.preprocess((given) => (typeof given === 'string' ? new Blob([given]) : given), z.instanceof(Blob));

/** A form with one part of a name holds no list of it. */
export const listOf = (given: unknown): unknown => (given === undefined || Array.isArray(given) ? given : [given]);
