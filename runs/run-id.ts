import { randomBytes } from 'node:crypto';
import { runIdOf } from '../pipelines/run-start.ts';

/** Id of a run that is started now. */
export const newRunId = (pipeline: string, at: Date = new Date()): string => runIdOf(pipeline, at, randomBytes(4).toString('hex'));
