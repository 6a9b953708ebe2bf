import { endStatuses, type EndStatus } from '../plan.ts';
import type { AnalysedStep } from './analysed-step.ts';

/** Ids under `needs`, written as a list or with the ends that are accepted. */
export const statedNeeds = ({ needs = [] }: AnalysedStep['file']): string[] => (Array.isArray(needs) ? needs : Object.keys(needs));

/** Ends that a step names for its needs, by need. */
export const statedEnds = ({ needs = [] }: AnalysedStep['file']): { [step: string]: EndStatus[] } =>
  Array.isArray(needs)
    ? {}
    : Object.fromEntries(
        Object.entries(needs).map(([id, ends]) => [id, ends === 'any' ? [...endStatuses] : typeof ends === 'string' ? [ends] : ends]),
      );
