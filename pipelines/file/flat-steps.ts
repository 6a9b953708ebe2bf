import type { FailureName } from '../error-classes.ts';
import type { FileLoop, FileStep, PipelineFile } from './schema.ts';
import type { Path } from './findings.ts';
import { undoId } from '../undo-ids.ts';
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
  /** The step that it takes back, itself or with the loop that it stands in. */
  undoes?: string;
  /** Of a loop. */
  loop?: { as: string; outputs: FileLoop['outputs']; parallel?: number };
};

type Where = Pick<FlatStep, 'in' | 'on'>;

/** Every step of a file, each loop before the steps inside of it, and what takes steps back behind all others. */
export const flatSteps = (file: Pick<PipelineFile, 'steps' | 'finally'>): FlatStep[] => [
  ...flatBlock(file.steps, ['steps']),
  ...flatBlock(file.finally, ['finally']).map((step) => ({ ...step, final: true as const })),
  ...Object.entries(file.steps).flatMap(([id, { undo }]) =>
    typeof undo === 'object' ? flatStep(undoId(id), undo, ['steps', id, 'undo']).map((step) => ({ ...step, undoes: id })) : [],
  ),
];

const flatBlock = (steps: PipelineFile['steps'], base: Path, where?: Where): FlatStep[] =>
  Object.entries(steps).flatMap(([id, step]) => flatStep(id, step, [...base, id], where));

/** A step with all that stands in it. */
function flatStep(id: string, step: FileStep | FileLoop, path: Path, where: Where = {}): FlatStep[] {
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
