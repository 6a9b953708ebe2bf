import { nearest, suggestion } from '../../text/nearest.ts';
import type { References } from '../expressions/references.ts';
import { withName, withoutName } from '../expressions/written-names.ts';
import type { FindingCode } from '../file/finding-codes.ts';
import type { Finding } from '../file/findings.ts';
import { unknownName } from '../file/schema-fields.ts';
import { findingAt, type Checks, type Place } from './place.ts';
import { wrongField } from './run-field.ts';

/**
 * Findings of names that the file does not have: parameters, steps, outputs of steps, fields of the run. `isRight`: whether another
 * text would do in this place.
 */
export function checkReferences(
  place: Place,
  { params, steps, run }: References,
  { names, locate }: Checks,
  isRight: (text: string) => boolean,
): Finding[] {
  const findings: Finding[] = [];
  const { text } = place;
  /** `by`: the text as it was meant. */
  const report = (code: FindingCode, message: string, offset: number, by: string | undefined, remedy: string): void => {
    findings.push(findingAt(place, locate, { code, message, offset, by, remedy }));
  };
  const renamed = (offset: number, index: number, near: string | undefined): string | undefined =>
    near === undefined ? undefined : withName(text, offset, index, near);
  for (const { name, offset } of params) {
    if (name === undefined || names.params.has(name)) continue;
    const known = [...names.params.keys()];
    const near = nearest(name, known);
    report(
      'no-such-param',
      `there is no parameter '${name}'${suggestion(name, known)}`,
      offset,
      renamed(offset, 0, near),
      `declare it under params: ${name}: { type: string }`,
    );
  }
  for (const { path, offset } of run) {
    const wrong = wrongField(path, names.run);
    if (wrong === undefined) continue;
    const { message, index, meant, remedy } = wrong;
    report('no-such-field', message, offset, renamed(offset, index, meant), remedy);
  }
  for (const { id, path: output, offset } of steps) {
    const owner = names.owners.get(id);
    if (!names.steps.has(id) && owner !== undefined) {
      const { of, on } = owner;
      const [where, remedy] =
        on === undefined
          ? [
              `stands in the loop '${of}': outside of it nobody knows which turn is meant`,
              `write what a turn gives under outputs: of ${of}, and read steps.${of}.rows`,
            ]
          : [`is done only where '${of}' fails, and can be read there only`, `read steps.?${of}, with a default`];
      report('no-such-step', `'${id}' ${where}`, offset, undefined, remedy);
      continue;
    }
    if (!names.steps.has(id)) {
      const all = [...names.steps.keys()];
      const known = likely(id, all, (name) => isRight(allRenamed(text, steps, id, name)));
      const near = nearest(id, known) ?? (known.length < all.length && known.length === 1 ? known[0] : undefined);
      report(
        'no-such-step',
        `there is no step '${id}'${suggestion(id, known)}`,
        offset,
        renamed(offset, 0, near),
        'take the id of a step of this file',
      );
      continue;
    }
    const step = names.steps.get(id);
    const unknown = step && unknownName(step.output, output);
    if (!unknown) continue;
    const { index, known } = unknown;
    const name = output[index]!;
    // Other tools have a level between a step and what it gives.
    const next = output[index + 1];
    const between = next !== undefined && known.includes(next);
    const near = nearest(name, known);
    report(
      'no-such-output',
      `steps.${[id, ...output.slice(0, index)].join('.')} has no output '${name}'; it has ${known.join(', ')}`,
      offset,
      between ? withoutName(text, offset, index + 1) : renamed(offset, index + 1, near),
      'take one of these',
    );
  }
  return findings;
}

/** A text with another id in every reference to a step: the last one first, so that the places before it stay. */
const allRenamed = (text: string, steps: References['steps'], id: string, by: string): string =>
  steps
    .filter((each) => each.id === id)
    .toSorted((a, b) => b.offset - a.offset)
    .reduce((made, { offset }) => withName(made, offset, 0, by) ?? made, text);

/** So many names are tried for one that is not there. */
const mostTried = 10;

/** Of all names those that do in a place: near ones first, all where none does. */
function likely(name: string, all: readonly string[], does: (name: string) => boolean): readonly string[] {
  const isNear = (each: string): boolean => nearest(name, [each]) !== undefined;
  const near = all.filter(isNear).slice(0, mostTried).filter(does);
  if (near.length > 0) return near;
  const far = all
    .filter((each) => !isNear(each))
    .slice(0, mostTried)
    .filter(does);
  return far.length > 0 && all.some(isNear) ? far : all;
}
