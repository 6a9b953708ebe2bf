import type { FailureName } from '../error-classes.ts';
import type { FileLoop, FileStep, PipelineFile } from './schema.ts';
import type { Path } from './findings.ts';
import { loop as loopStep } from '../steps/loop.ts';
import { rowsLoop } from '../steps/rows-loop.ts';

/** A step of a file, wherever it stands; a loop as a step whose input is its list. */
export type FlatStep = {
  id: string;
  file: FileStep;
  /** Where the step stands, and where its input does. */
  path: Path;
  input: Path;
  /** It stands under `finally`, or in a loop there. */
  final?: true;
  /** The loop that it stands in, or the step about whose failures of the class `on` it is done. */
  in?: string;
  on?: FailureName;
  /** Of a loop. */
  loop?: { as: string; outputs: FileLoop['outputs']; parallel?: number };
};

/** Every step of a file, each loop before the steps inside of it. */
export const flatSteps = (file: Pick<PipelineFile, 'steps' | 'finally'>): FlatStep[] => [
  ...flatBlock(file.steps, ['steps']),
  ...flatBlock(file.finally, ['finally']).map((step) => ({ ...step, final: true as const })),
];

function flatBlock(steps: PipelineFile['steps'], base: Path, where: Pick<FlatStep, 'in' | 'on'> = {}): FlatStep[] {
  return Object.entries(steps).flatMap(([id, step]): FlatStep[] => {
    const path = [...base, id];
    if (!('forEach' in step)) return [{ id, file: step, path, input: [...path, 'with'], ...where }, ...reactions(id, step, path)];
    const { forEach, steps: inner, outputs, ...file } = step;
    const { as, parallel, ...over } = forEach;
    return [
      {
        id,
        file: { ...file, use: ofLoop(over).name, with: over },
        path,
        input: [...path, 'forEach'],
        loop: { as, outputs, ...(parallel === undefined ? {} : { parallel }) },
        ...where,
      },
      ...flatBlock(inner, [...path, 'steps'], { in: id }),
      ...reactions(id, step, path),
    ];
  });
}

/** The step that a loop is by what it goes over. */
export const ofLoop = (over: object): typeof loopStep | typeof rowsLoop => ('rows' in over || 'files' in over ? rowsLoop : loopStep);

/** The steps that are done about failures of a step. */
function reactions(id: string, { onError }: FileStep | FileLoop, path: Path): FlatStep[] {
  if (typeof onError !== 'object') return [];
  return Object.entries(onError).flatMap(([on, reaction]) =>
    typeof reaction === 'object' && 'steps' in reaction
      ? flatBlock(reaction.steps, [...path, 'onError', on, 'steps'], { in: id, on: on as FailureName })
      : [],
  );
}
