import type { Own, Step, StepForecast } from '../step.ts';
import type { OwnStep, OwnSweep } from './define.ts';

/** What a user's step or sweep says of itself in its file, as a step in the shape of a built-in one has it. */
export const ownFields = ({ code, ...where }: Own): Omit<Step, 'kind' | 'output' | 'timeouts' | 'forecast'> => ({
  name: code.name,
  summary: code.summary ?? code.name,
  input: code.input,
  effect: code.effect,
  ...(code.irreversible === undefined ? {} : { irreversible: code.irreversible }),
  operations: code.operations ?? [],
  ...(code.paths === undefined ? {} : { paths: code.paths }),
  example: code.example ?? {},
  own: { ...where, code },
});

/** Longest time of one attempt of a step, or of one item, in milliseconds. */
export const attemptMsOf = ({ attemptSeconds = 300 }: Pick<OwnStep, 'attemptSeconds'>): number => attemptSeconds * 1_000;

/** What `plan` shows of it: each operation at most `max` times. */
export const ownForecast = (own: OwnStep | OwnSweep, does: string, max: number): StepForecast => ({
  does,
  calls: (own.operations ?? []).map((operation) => ({ operation, min: 0, max })),
  ...(own.irreversible ? { irreversible: [`${own.name}: ${own.summary ?? own.name}`] } : {}),
});
