import { suggestion } from '../../text/nearest.ts';
import { formatPath, type Finding, type Locate } from '../file/findings.ts';
import type { FlatStep } from '../file/flat-steps.ts';
import { reach } from '../file/reach.ts';
import type { PipelineFile } from '../file/schema.ts';
import type { StepOrLoop } from '../step.ts';

const fields = ['timeout', 'window', 'onError'] as const;
type Field = (typeof fields)[number];
type Defaults = NonNullable<PipelineFile['defaults']>;

/**
 * True where a default of this name means something for a step: gates are decided once, in their own time, and an undo whose failure is
 * tolerated counts as done, which it says itself.
 */
function takes(step: FlatStep, kind: StepOrLoop['kind'] | undefined, field: Field): boolean {
  if (step.loop || kind === undefined || kind === 'gate') return false;
  if (field === 'onError' && step.undoes !== undefined) return false;
  return field !== 'window' || kind === 'sweep';
}

/** Steps with what the file's `defaults` hold for them where they say nothing themselves; `unused`: places of defaults that no step takes. */
export function withFileDefaults(
  steps: readonly FlatStep[],
  defaults: Defaults | undefined,
  table: Readonly<Record<string, StepOrLoop>>,
): { steps: FlatStep[]; unused: string[][] } {
  if (defaults === undefined) return { steps: [...steps], unused: [] };
  const used = new Set<string>();
  const placeOf = (use: string, field: Field): string[] | undefined =>
    [['use', use, field], [field]].find((place) => reach(defaults, place) !== undefined);
  const filled = steps.map((step): FlatStep => {
    const kind = Object.hasOwn(table, step.file.use) ? table[step.file.use]!.kind : undefined;
    const taken = fields.flatMap((field) => {
      const place = placeOf(step.file.use, field);
      if (place === undefined || step.file[field] !== undefined || !takes(step, kind, field)) return [];
      used.add(place.join(' '));
      return [[field, reach(defaults, place)] as const];
    });
    return { ...step, file: { ...step.file, ...Object.fromEntries(taken) } };
  });
  const given = [defaults, ...Object.values(defaults.use)].flatMap((each, at) =>
    fields
      .filter((field) => each[field] !== undefined)
      .map((field) => (at === 0 ? [field] : ['use', Object.keys(defaults.use)[at - 1]!, field])),
  );
  return { steps: filled, unused: given.filter((place) => !used.has(place.join(' '))) };
}

/** A default that nobody takes is a mistake: of a name that no step has, or of what all steps say themselves. */
export const unusedDefaults = (unused: readonly string[][], steps: readonly FlatStep[], locate: Locate): Finding[] =>
  unused.flatMap((place, index): Finding[] => {
    const path = ['defaults', ...place];
    const [of, use] = place.length > 1 ? place : [];
    const uses = [...new Set(steps.flatMap(({ file, loop }) => (loop ? [] : [file.use])))];
    const isThere = of === undefined || uses.includes(use!);
    // A name that no step has is one mistake, however many fields stand under it.
    if (!isThere && unused.findIndex((each) => each.length > 1 && each[1] === use) < index) return [];
    const at = isThere ? path : path.slice(0, -1);
    return [
      {
        code: 'unused-default',
        message: isThere
          ? `no step takes this '${place.at(-1)}': none could, or each has its own`
          : `no step of this file is ${use}${suggestion(use!, uses)}`,
        path: formatPath(at),
        ...locate.key(at),
      },
    ];
  });
