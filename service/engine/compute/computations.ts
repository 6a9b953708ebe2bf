import { duplicatesOf } from '../labels/duplicates.ts';
import { fitTopics, leavesOf } from '../labels/topics.ts';
import { nameTopics } from '../labels/names.ts';

/** What is computed in a thread, by name. */
export const computations = { duplicatesOf, fitTopics, leavesOf, nameTopics };

export type Computation = keyof typeof computations;
export type Given<N extends Computation> = Parameters<(typeof computations)[N]>;
export type Result<N extends Computation> = ReturnType<(typeof computations)[N]>;
