import { ApplicationFailureCategory } from '@temporalio/common';
import { acceptedOf } from '../../pipelines/ends.ts';
import { reactionTo, weightier } from '../../pipelines/error-classes.ts';
import { evaluateTree, ExpressionError, type Scope } from '../../pipelines/expressions/evaluate.ts';
import type { FailureDetails } from '../../errors/failure-details.ts';
import type { EndStatus } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import type { StepContext } from '../frame/context.ts';
import { toFailure } from '../frame/failure.ts';
import type { RowFailure } from '../own/ledger-rows.ts';
import type { RowCode, RowStep } from './row-code.ts';

/** What became of a row: what it gives, or why it failed. */
export type Turned = { outputs: { [name: string]: Json } } | { failure: RowFailure };

/** Name of what a step of a row gave, in the journal of its chunk. */
export const given = 'output';

type Turn = {
  /** Place of the row in the table, from 0. */
  index: number;
  row: Json;
  /** True while a step of the row may still be tried again after a failure that may pass. */
  mayPass: (timeouts: { deadlineMs: number }) => boolean;
};

/**
 * Does the steps of one row, one after the other, as the interpreter does those of a turn. Fails where the row is to be begun again: the
 * service asks to wait, something is missing, or what failed may pass. What its steps have done by then is not done again.
 */
export async function turn(code: RowCode, { index, row, mayPass }: Turn, context: StepContext): Promise<Turned> {
  const outputs = { ...code.scope.steps };
  const scope: Scope = { ...code.scope, items: { ...code.scope.items, [code.as]: row }, steps: outputs };
  const ends = new Map<string, EndStatus>();
  const path = `${context.step}[${index}]`;
  let failure: RowFailure | undefined;
  for (const step of code.steps) {
    const { planned } = step;
    const { id } = planned;
    const isReady = planned.needs.every((need) => acceptedOf(planned, need).includes(ends.get(need)!));
    if (!isReady || (failure !== undefined && !code.reacts.has(id))) {
      ends.set(id, 'skipped');
      continue;
    }
    try {
      const output = isMeant(step, scope)
        ? await done(step, `${path}.${id}`, { scope, isAlone: code.steps.length === 1 }, context)
        : undefined;
      ends.set(id, output === undefined ? 'skipped' : 'done');
      if (output !== undefined) outputs[id] = output;
    } catch (error) {
      const failed = failureOf(error, `${path}.${id}`);
      if (context.signal.aborted || failed.comesBack || (failed.mayPass && mayPass(planned.timeouts))) throw error;
      const { does } = reactionTo(planned.onError, failed.failure);
      ends.set(id, does === 'tolerate' ? 'tolerated' : 'failed');
      if (does !== 'tolerate') failure = weightier(failure, failed.failure);
    }
  }
  if (failure) return { failure };
  try {
    return { outputs: evaluateTree(code.outputs, scope) as { [name: string]: Json } };
  } catch (error) {
    const { failure: failed } = failureOf(error, path);
    return { failure: { ...failed, message: `outputs: ${failed.message}` } };
  }
}

/** False where the `when` of a step gives false. */
function isMeant({ planned: { when = true } }: RowStep, scope: Scope): boolean {
  const value = evaluateTree(when, scope);
  if (typeof value !== 'boolean')
    throw new ExpressionError('expression-result', `when: true or false is due, not ${JSON.stringify(value)}`);
  return value;
}

/** What a step gives for a row; what an earlier attempt has done of it is not done again. */
async function done(
  { planned, definition, code }: RowStep,
  path: string,
  { scope, isAlone }: { scope: Scope; isAlone: boolean },
  context: StepContext,
): Promise<Json> {
  const { id, use, version, connections, approved } = planned;
  const inner = context.within(
    { id, use, connections, ...(version === undefined ? {} : { version }), ...(approved ? { approved } : {}) },
    path,
  );
  const before = inner.intents().state(given);
  if (before.is === 'done') return before.result as Json;
  const input = evaluateTree(planned.with, scope);
  const output = await code.run(definition.own ? input : await definition.input.parseAsync(input), inner);
  const result = JSON.parse(JSON.stringify(output ?? null)) as Json;
  // The end of the row says it too.
  if (!isAlone) inner.intents().done(given, result);
  return result;
}

/** `comesBack`: the service asks to wait, or something is missing here; `mayPass`: it may succeed later. */
function failureOf(error: unknown, step: string): { failure: RowFailure; comesBack: boolean; mayPass: boolean } {
  const { type, message, details, nonRetryable, category } = toFailure(error);
  const [found] = (details ?? []) as [FailureDetails?];
  const isExpression = error instanceof ExpressionError;
  return {
    failure: { step, type: isExpression ? error.type : (type ?? 'Error'), message, ...(found ? { details: found } : {}) },
    comesBack: category === ApplicationFailureCategory.BENIGN,
    mayPass: !nonRetryable,
  };
}
