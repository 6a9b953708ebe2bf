import { milliseconds } from '../text/duration.ts';
import type { Json } from '../text/json.ts';
import { utcTime } from '../text/utc-time.ts';
import { ExpressionError } from './expressions/error.ts';

/** Turns of a loop over combinations or times; a list may be as long as one value may be large. */
export const mostTurns = 100_000;

/** How a time is written, for a message about one that is none. */
export const timeRule = 'a time such as 2026-01-31 or 2026-01-31T06:00:00Z';

/** What a loop goes over, by number: how many there are, and each. */
export type Over = { count: number; at(index: number): Json };

/**
 * What the input of a loop stands for: a list, every combination of the values of a matrix (the last name changes first), or the parts
 * of a window of time, from its beginning, the last one cut at its end (UTC, ISO 8601). Fails with `ExpressionError` where it is none.
 */
export function overOf(input: Json): Over {
  const { items, matrix, window } = input as { items?: Json; matrix?: Json; window?: Json };
  if (matrix !== undefined) return limited(ofMatrix(matrix));
  if (window !== undefined) return limited(ofWindow(window));
  if (!Array.isArray(items)) throw wrong(`a list is due, not ${JSON.stringify(items ?? null)}`);
  return { count: items.length, at: (index) => items[index]! };
}

const wrong = (message: string): ExpressionError => new ExpressionError('expression-result', message);

function limited(over: Over): Over {
  if (over.count > mostTurns)
    throw wrong(`${over.count.toLocaleString('en-US')} turns, at most ${mostTurns.toLocaleString('en-US')}: split the loop`);
  return over;
}

function ofMatrix(matrix: Json): Over {
  const axes = Object.entries(matrix as { [name: string]: Json }).map(([name, values]): [string, Json[]] => {
    if (!Array.isArray(values)) throw wrong(`a list is due for ${name}, not ${JSON.stringify(values)}`);
    return [name, values];
  });
  return {
    count: axes.reduce((product, [, values]) => product * values.length, 1),
    at: (index) => {
      let rest = index;
      const picked = axes.toReversed().map(([name, values]): [string, Json] => {
        const value = values[rest % values.length]!;
        rest = Math.floor(rest / values.length);
        return [name, value];
      });
      return Object.fromEntries(picked.toReversed());
    },
  };
}

function ofWindow(window: Json): Over {
  const { from, to, every } = window as { from: Json; to: Json; every: Json };
  const [start, end] = [timeOf(from, 'from'), timeOf(to, 'to')];
  if (typeof every !== 'string') throw wrong(`a duration such as 1d is due for every, not ${JSON.stringify(every)}`);
  const step = milliseconds(every);
  return {
    count: Math.max(0, Math.ceil((end - start) / step)),
    at: (index) => ({
      from: new Date(start + index * step).toISOString(),
      to: new Date(Math.min(end, start + (index + 1) * step)).toISOString(),
    }),
  };
}

function timeOf(value: Json, name: string): number {
  const micros = typeof value === 'string' ? utcTime(value) : undefined;
  if (micros === undefined) throw wrong(`${timeRule} is due for ${name}, not ${JSON.stringify(value)}`);
  return Number(micros / 1_000n);
}
