import { join } from 'node:path';

/** What is of no one run, by the name of its folder beside those of the runs. */
const names = ['exclusive', 'known', 'marks', 'schedules', 'tags'] as const;

export type SharedName = (typeof names)[number];

/** A folder beside those of the runs. `root` is the folder above all runs. */
export const sharedFolder = (root: string, name: SharedName): string => join(root, name);

/** Of names in the folder above all runs those that are of no one run: none of them is a run that is just being started. */
export const isShared = (name: string): boolean => (names as readonly string[]).includes(name);
