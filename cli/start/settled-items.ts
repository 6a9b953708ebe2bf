import { sayFate, type Settled } from '../../pipelines/own/settle.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { UndecidedStep } from '../../runs/undecided-items.ts';
import { UsageError } from '../frame/errors.ts';
import type { VerbOption } from '../frame/verb.ts';
import { argument } from '../../text/shell.ts';

/** Of every verb that goes on with what an earlier run may have done. */
export const fateOption = {
  fate: {
    type: 'string',
    value: 'KEY=FATE',
    multiple: true,
    description: "Of an item that may have been done, in a sweep of effect 'never' or of agent.run: done, or again.",
  },
} as const satisfies Record<string, VerbOption>;

/** `KEY=done` and `KEY=again`; a key may hold an equals sign. */
export const settledItems = (given: readonly string[] = []): Record<string, Settled> =>
  Object.fromEntries(
    given.map((text) => {
      const [, key, word] = /^(.+)=(done|again)$/s.exec(text) ?? [];
      if (key === undefined)
        throw new UsageError(`--fate ${text}: an item and what became of it were expected`, '--fate KEY=done, or KEY=again');
      return [key, word as Settled];
    }),
  );

/** What a person is asked before a step of effect `never` is sent again. */
export function questionOf({ step, run, items, why }: UndecidedStep, plan: Plan): UsageError {
  const whole = why !== undefined || plan.steps.find(({ id }) => id === step)!.kind !== 'sweep';
  const what = items.length === 1 ? `'${items[0]}'` : `${items.length} items (${items.slice(0, 5).join(', ')})`;
  return new UsageError(
    `step ${step}: run ${run} may have done ${what}, and its effect is 'never'${why === undefined ? '' : `; ${why}`}`,
    whole
      ? `see what it did (portolan why ${run}); where it did nothing: ${sayFate(step, 'again')}`
      : `see what it did (portolan items ${run} --step ${argument(step)} --status unknown), then say so of each: ${sayFate(items[0]!, 'done')} or ${sayFate(items[0]!, 'again')}`,
  );
}
