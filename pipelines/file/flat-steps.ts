import type { FileLoop, FileStep, PipelineFile } from './schema.ts';
import type { Path } from './findings.ts';
import { loop as loopStep } from '../steps/loop.ts';

/** A step of a file, wherever it stands; a loop as a step whose input is its list. */
export type FlatStep = {
  id: string;
  file: FileStep;
  /** Where the step stands, and where its input does. */
  path: Path;
  input: Path;
  /** It stands under `finally`, or in a loop there. */
  final?: true;
  /** The loop that it stands in. */
  in?: string;
  /** Of a loop. */
  loop?: { as: string; outputs: FileLoop['outputs'] };
};

/** Every step of a file, each loop before the steps inside of it. */
export const flatSteps = (file: Pick<PipelineFile, 'steps' | 'finally'>): FlatStep[] => [
  ...flatBlock(file.steps, ['steps']),
  ...flatBlock(file.finally, ['finally']).map((step) => ({ ...step, final: true as const })),
];

function flatBlock(steps: PipelineFile['steps'], base: Path, loop?: string): FlatStep[] {
  return Object.entries(steps).flatMap(([id, step]): FlatStep[] => {
    const path = [...base, id];
    const where = loop === undefined ? {} : { in: loop };
    if (!('forEach' in step)) return [{ id, file: step, path, input: [...path, 'with'], ...where }];
    const { forEach, steps: inner, outputs, ...file } = step;
    const { as, parallel, ...over } = forEach;
    return [
      {
        id,
        file: { ...file, use: loopStep.name, with: over, ...(parallel === undefined ? {} : { window: parallel }) },
        path,
        input: [...path, 'forEach'],
        loop: { as, outputs },
        ...where,
      },
      ...flatBlock(inner, [...path, 'steps'], id),
    ];
  });
}
