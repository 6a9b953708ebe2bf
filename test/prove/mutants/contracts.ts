import type { Mutant } from './mutant.ts';

export const contracts: readonly Mutant[] = [];
