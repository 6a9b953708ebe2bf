import type { Json } from '../text/json.ts';
import { known } from './file/embedded-expressions.ts';
import { unknownFacts, type Act, type Step } from './step.ts';

/** What a step does with an input that cannot be taken back, as far as that is known without asking anybody. */
export const actsOf = (step: Pick<Step, 'forecast'>, input: Json): Act[] => step.forecast(known(input), unknownFacts).acts ?? [];

/** Does the step, whatever the data are, do what cannot be taken back? */
export const isIrreversible = (step: Pick<Step, 'forecast' | 'example'>): boolean =>
  actsOf(step, step.example as Json).some(({ perhaps }) => !perhaps);
