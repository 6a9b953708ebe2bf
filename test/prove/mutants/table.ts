import { child } from './child.ts';
import { client } from './client.ts';
import { files } from './files.ts';
import { permits } from './permits.ts';
import { text } from './text.ts';
import { workflows } from './workflows.ts';
import type { Mutant } from './mutant.ts';

/** Every mutant, by folder. */
export const mutants: readonly Mutant[] = [...child, ...client, ...files, ...permits, ...text, ...workflows];
