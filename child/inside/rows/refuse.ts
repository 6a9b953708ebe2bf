import { BadInput } from '../../../errors/classes.ts';
import type { Source } from '../source.ts';

/** Refuses a source, by its name. */
export const refuse = (source: Source, message: string): never => {
  throw new BadInput('bad_input', `${source.name}: ${message}`);
};
