import { milliseconds } from '../../text/duration.ts';
import type { Reaction, Reactions } from '../error-classes.ts';
import { formatPath, type Finding, type Locate } from '../file/findings.ts';
import type { FlatStep } from '../file/flat-steps.ts';
import type { FileStep } from '../file/schema.ts';

type OnError = NonNullable<FileStep['onError']>;
type FileReaction = NonNullable<Exclude<OnError, string>['else']>;

/** What is done where a step fails, as the plan has it; nothing where it fails whatever happens. */
export function reactionsOf(onError: FileStep['onError']): { onError?: Reactions } {
  if (onError === undefined || onError === 'fail') return {};
  if (onError === 'tolerate') return { onError: { else: { does: onError } } };
  return { onError: Object.fromEntries(Object.entries(onError).map(([of, each]) => [of, toReaction(each)])) };
}

function toReaction(each: FileReaction): Reaction {
  if (typeof each === 'string') return { does: each };
  const { retry: times, every } = each;
  return {
    does: 'then' in each ? each.then : 'steps',
    ...(times === undefined || every === undefined ? {} : { retry: { times, everyMs: milliseconds(every) } }),
  };
}

/** A loop is not gone through again: its steps are tried again where they stand. */
export const checkRetries = ({ path: of, file: { onError }, loop }: FlatStep, locate: Locate): Finding[] =>
  loop === undefined || typeof onError !== 'object'
    ? []
    : Object.entries(onError).flatMap(([name, each]): Finding[] => {
        if (typeof each !== 'object' || each.retry === undefined) return [];
        const path = [...of, 'onError', name, 'retry'];
        const message = 'a loop as a whole is not tried again: turns that are done would be done twice';
        const remedy = 'write onError at the steps inside of it';
        return [{ code: 'invalid-value', message, path: formatPath(path), remedy, ...locate.key(path) }];
      });
