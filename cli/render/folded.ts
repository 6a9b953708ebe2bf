import type { StepView } from '../../workflows/messages.ts';

/** A line of the live view: a step by the name that it has there, or how many more there are. */
export type StepLine = { name: string; step: StepView } | { more: number };

/** Steps of turns that are shown for each loop. */
const mostOfLoop = 4;

/** True of a step of a turn that somebody looks for: its work is under way, or waits for a person. */
const isBusy = ({ status, kind }: StepView): boolean =>
  kind !== 'loop' && (status === 'running' || status === 'approval' || status === 'failed');

/** The steps of a run, those of turns below their loop: what is under way there, as far as it fits into a few lines. */
export function foldedSteps(steps: readonly StepView[]): StepLine[] {
  return steps
    .filter(({ turn }) => turn === undefined)
    .flatMap((step): StepLine[] => {
      const busy = steps.filter((each) => each.id.startsWith(`${step.id}[`) && isBusy(each));
      const shown = busy.length > mostOfLoop ? mostOfLoop - 1 : busy.length;
      return [
        { name: step.id, step },
        ...busy.slice(0, shown).map((each) => ({ name: `  ${each.id.slice(step.id.length)}`, step: each })),
        ...(busy.length > shown ? [{ more: busy.length - shown }] : []),
      ];
    });
}
