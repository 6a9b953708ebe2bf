import { canonical } from '../../text/canonical-json.ts';
import { checkExpression, references } from '../expressions/references.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';
import { formatPath, type Finding, type Locate } from '../file/findings.ts';
import type { FlatStep } from '../file/flat-steps.ts';
import type { PipelineFile } from '../file/schema.ts';
import { acceptedOf } from '../ends.ts';
import type { EndStatus } from '../plan.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { absencesOf, checkMissing, conditionsOf } from './check-absent.ts';
import { before } from './order.ts';
import { findingAt } from './place.ts';

/** Steps that say how they are taken back where nobody could do it: one turn is not a step of the run, and what ends a run stays done. */
export const checkUndoPlaces = (steps: readonly FlatStep[], locate: Locate): Finding[] =>
  steps.flatMap(({ id, path: of, file: { undo }, in: loop, on, final, undoes }): Finding[] => {
    if (undo === undefined || (loop === undefined && !final)) return [];
    const path = [...of, 'undo'];
    const [message, remedy] = final
      ? [`'${id}' ends a run: what is done finally is not taken back`, 'take the line out']
      : on !== undefined
        ? [`'${id}' is done about a failure of '${loop}': it is taken back with that step`, `write undo at ${loop}`]
        : undoes !== undefined
          ? [`'${id}' takes '${undoes}' back itself`, 'take the line out']
          : [
              `'${id}' is done once for each item of '${loop}': it is taken back with the loop`,
              `write it at the loop, over what its turns gave: ${loop}: { undo: { forEach: { rows: "\${{ steps.${loop}.results }}" }, steps: { … } } }`,
            ];
    return [{ code: 'invalid-value', message, path: formatPath(path), remedy, ...locate.key(path) }];
  });

/** A step called `undo` whose run would have the id of the run that takes this one back. */
export const checkUndoIds = (steps: readonly AnalysedStep[], locate: Locate): Finding[] =>
  steps.flatMap(({ id, in: loop, definition, path }): Finding[] => {
    if (id !== 'undo' || loop !== undefined || definition.kind !== 'pipeline') return [];
    const message = "a pipeline cannot be the step 'undo': its run would be called as the one that takes this run back";
    return [{ code: 'invalid-name', message, path: formatPath(path), remedy: 'give it another id', ...locate.key(path) }];
  });

/** What takes a step back reads that step, and those that it stands on: they have ended whenever it is done, as far as their ends say. */
export function checkUndoReads(steps: readonly AnalysedStep[], undo: readonly AnalysedStep[], locate: Locate): Finding[] {
  const needs = new Map(steps.map((step) => [step.id, step.needs]));
  const absences = absencesOf(conditionsOf(steps));
  const isPossible = (id: string, end: EndStatus): boolean => end === 'failed' || end === 'cancelled' || absences.get(id)!.has(end);
  /** Of the needs of a step those that are done whenever it is. */
  const sure = (step: AnalysedStep): string[] =>
    step.needs.filter((need) => acceptedOf(step, need).every((end) => end === 'done' || !isPossible(need, end)));
  const certainly = new Map(steps.map((step) => [step.id, sure(step)]));
  const inner = new Set(undo.map(({ id }) => id));
  return undo.flatMap((step) => {
    const of = step.undoes!;
    const behind = before(of, needs);
    const certain = before(of, certainly);
    const missing = (id: string): EndStatus | undefined => {
      const ends = [...(absences.get(id) ?? [])];
      if (id === of) return ends.find((end) => end === 'tolerated');
      return !behind.has(id) || certain.has(id) ? undefined : (ends[0] ?? 'failed');
    };
    const parts = [
      { value: step.file.with, base: step.input },
      { value: step.file.when, base: [...step.path, 'when'] },
      { value: step.loop?.outputs, base: [...step.path, 'outputs'] },
    ];
    return parts.flatMap(({ value, base }) => [
      ...expressionsIn(value).flatMap(({ text, path }) =>
        checkExpression(text) === undefined
          ? beside({ text, path: [...base, ...path] }, of, (id) => id === of || behind.has(id) || inner.has(id), locate)
          : [],
      ),
      ...checkMissing(value, base, missing, locate),
    ]);
  });
}

/** References to steps that the step which is taken back does not stand on: they may end after it, or never. */
const beside = (
  place: { text: string; path: (string | number)[] },
  of: string,
  isKnown: (id: string) => boolean,
  locate: Locate,
): Finding[] =>
  references(place.text).steps.flatMap(({ id, offset }) =>
    isKnown(id)
      ? []
      : [
          findingAt(place, locate, {
            code: 'no-such-step',
            message: `'${of}' does not stand on '${id}', which may not have ended when '${of}' is taken back`,
            offset,
            remedy: `write needs: [${id}] at ${of}, or read a step that it stands on`,
          }),
        ],
  );

/** A step that is taken back by what it does itself, with the same input: that would be done again, and end well. What own code does is its own. */
export const checkUndoRepeats = (steps: readonly AnalysedStep[], undo: readonly AnalysedStep[], locate: Locate): Finding[] =>
  undo.flatMap(({ in: above, undoes, definition, with: input, path }): Finding[] => {
    const step = above === undefined ? steps.find(({ id }) => id === undoes) : undefined;
    if (!step || definition.own || step.definition.name !== definition.name || canonical(step.with) !== canonical(input)) return [];
    const message = `'${step.id}' is taken back by what it does itself: ${definition.name} with the same input would do it again`;
    return [{ code: 'invalid-value', message, path: formatPath(path), remedy: 'write what does the opposite', ...locate.key(path) }];
  });

/** A run that fails is to be undone, and nothing of it can be. */
export function checkOnFailure({ onFailure }: PipelineFile, undo: readonly AnalysedStep[], locate: Locate): Finding[] {
  if (onFailure === undefined || undo.length > 0) return [];
  const message = 'no step of this file says how it is undone';
  const remedy = 'write undo at a step, such as undo: { use: …, with: { … } }, or take the line out';
  return [{ code: 'invalid-value', message, path: 'onFailure', remedy, ...locate.value(['onFailure']) }];
}
