import type { Act, Facts, Own, Step, StepForecast } from '../step.ts';
import { operations } from '../../contracts/index.ts';
import { counted } from '../../text/units.ts';
import type { OwnCode, OwnStep } from './define.ts';
import { boundOf, mostCalls, operationsOf, ownCalls } from './how-often.ts';

/** What a user's step or sweep says of itself in its file, as a step in the shape of a built-in one has it. */
export const ownFields = ({ code, ...where }: Own): Omit<Step, 'kind' | 'output' | 'timeouts' | 'forecast'> => ({
  name: code.name,
  summary: code.summary ?? code.name,
  input: code.input,
  effect: code.effect,
  operations: operationsOf(code),
  ...(code.paths === undefined ? {} : { paths: code.paths }),
  example: code.example ?? {},
  own: { ...where, code },
});

/** Longest time of one attempt of a step, or of one item, in milliseconds. */
export const attemptMsOf = ({ attemptSeconds = 300 }: Pick<OwnStep, 'attemptSeconds'>): number => attemptSeconds * 1_000;

/** What `plan` shows of it: its calls and its acts, as often as it says. */
export const ownForecast = (own: OwnCode, does: string, listed?: Facts['listed']): StepForecast => ({
  does,
  calls: ownCalls(own, listed),
  acts: [
    ...Object.entries(own.acts ?? {}).map(([kind, most]): Act => {
      const { max, ...why } = boundOf(own, most, listed);
      const often = max === null ? (most === 'perItem' ? 'once for each item' : '') : `at most ${times(max)}`;
      return { kind, most: max, says: `${kind}, ${often}`, ...why };
    }),
    ...operationsOf(own).flatMap((name): Act[] => {
      const { max, ...why } = boundOf(own, mostCalls(own, name), listed);
      return operations[name].irreversible ? [{ kind: name, most: max, says: `${name}: ${operations[name].summary}`, ...why }] : [];
    }),
  ],
});

const times = (most: number): string => (most === 1 ? 'once' : counted(most, 'time'));
