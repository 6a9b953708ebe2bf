import type { World } from '../support/world.ts';

/** Makes a run and returns its id. `beside`: workflows beside the run, by the name of their file. */
export type Recording = (world: World, source: string) => Promise<string | { run: string; beside: Record<string, string> }>;
