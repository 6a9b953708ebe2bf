import { activities } from './activities.ts';
import { child } from './child.ts';
import { client } from './client.ts';
import { dev } from './dev.ts';
import { files } from './files.ts';
import { permits } from './permits.ts';
import { errors, store } from './store.ts';
import { text } from './text.ts';
import { workflows } from './workflows.ts';
import type { Mutant } from './mutant.ts';

/** Every mutant, by folder. */
export const mutants: readonly Mutant[] = [
  ...activities,
  ...child,
  ...client,
  ...dev,
  ...errors,
  ...files,
  ...permits,
  ...store,
  ...text,
  ...workflows,
];
