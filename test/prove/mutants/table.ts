import { child } from './child.ts';
import { client } from './client.ts';
import type { Mutant } from './mutant.ts';

/** Every mutant, by folder. */
export const mutants: readonly Mutant[] = [...child, ...client];
