import { checkExpression, references } from '../expressions/references.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';
import type { Finding, Locate } from '../file/findings.ts';
import { acceptedOf, possibleEnds, reacting } from '../ends.ts';
import type { EndStatus } from '../plan.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { readerOf, readsFailure } from './lift-needs.ts';
import { inOrder } from './order.ts';
import { findingAt } from './place.ts';

/** How a step may end in a run that does not fail, beside `done`: then it has no outputs. */
type Absences = ReadonlyMap<string, ReadonlySet<EndStatus>>;

/**
 * References to steps that may have no outputs where they are read: skipped, or failed and tolerated, or whatever the reader accepts.
 * They need a default: `steps.?ID.OUTPUT.orValue(…)`.
 */
export function checkAbsent(steps: readonly AnalysedStep[], outputs: unknown, locate: Locate): Finding[] {
  const ordered = conditionsOf(steps);
  const absences = absencesOf(ordered);
  const reacts = reacting(ordered);
  const byId = new Map(steps.map((step) => [step.id, step]));
  const ofSteps = steps.flatMap((step) => {
    const missing = (id: string): EndStatus | undefined => {
      if (readsFailure(step, id, byId)) return undefined;
      const reader = readerOf(step, id, byId) ?? step;
      return acceptedWithout(reader, id, absences, reacts.has(reader.id));
    };
    // What a turn gives is worked out when all its steps have ended.
    const missingAtEnd = (id: string): EndStatus | undefined =>
      byId.get(id)?.in === step.id ? [...(absences.get(id) ?? [])][0] : missing(id);
    return [
      ...checkMissing(step.file.with, step.input, missing, locate),
      ...checkMissing(step.file.when, [...step.path, 'when'], missing, locate),
      ...checkMissing(step.loop?.outputs, [...step.path, 'outputs'], missingAtEnd, locate),
    ];
  });
  return [...ofSteps, ...checkMissing(outputs, ['outputs'], (id) => [...(absences.get(id) ?? [])][0], locate)];
}

type Ordered = Parameters<typeof possibleEnds>[0];

/** What decides how each step may end, whatever the parameters are. */
export const conditionsOf = (steps: readonly AnalysedStep[]): Ordered =>
  inOrder(steps).map(({ id, needs, accepts, onError, file }) => ({
    id,
    needs,
    accepts,
    ...(file.when === undefined ? {} : { when: file.when }),
    ...(onError === undefined ? {} : { onError }),
  }));

export const absencesOf = (steps: Ordered): Absences =>
  new Map([...possibleEnds(steps)].map(([id, ends]) => [id, new Set([...ends].filter((end) => end !== 'done'))]));

/** An end of a need after which the reader starts although the need gave nothing. */
function acceptedWithout(reader: AnalysedStep, id: string, absences: Absences, reacts: boolean): EndStatus | undefined {
  const accepted = acceptedOf(reader, id);
  return accepted.find(
    (end) => end === 'failed' || end === 'cancelled' || absences.get(id)?.has(end) === true || (end === 'skipped' && reacts),
  );
}

const words: Readonly<Record<EndStatus, string>> = {
  done: 'is done',
  tolerated: 'may fail, which is tolerated',
  skipped: 'may be skipped',
  failed: 'may have failed here',
  cancelled: 'may have been cancelled here',
};

/** References in a value to steps of which `missing` names an end without outputs. */
export function checkMissing(
  value: unknown,
  base: readonly (string | number)[],
  missing: (id: string) => EndStatus | undefined,
  locate: Locate,
): Finding[] {
  return expressionsIn(value).flatMap(({ text, path }) => {
    if (checkExpression(text) !== undefined) return [];
    return references(text).steps.flatMap(({ id, offset, optional }): Finding[] => {
      const end = optional ? undefined : missing(id);
      if (end === undefined) return [];
      const place = { text, path: [...base, ...path] };
      const message = `steps.${id} ${words[end]}, and then has no outputs`;
      return [
        findingAt(place, locate, {
          code: 'may-be-missing',
          message,
          offset,
          remedy: `write steps.?${id}.OUTPUT.orValue(…) with a default`,
        }),
      ];
    });
  });
}
