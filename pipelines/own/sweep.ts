import { z } from 'zod';
import { counted } from '../../text/units.ts';
import type { OwnSweep } from './define.ts';
import type { Own, Step } from '../step.ts';
import { ownFields, ownForecast } from './own-fields.ts';

/** A chunk lasts about so long: what a kill may cost of one slot, were nothing kept of it. */
const chunkSeconds = 10;
const mostInChunk = 1_000;

/** Items are listed in parts; a chunk is some of them. */
const mostInPart = 100;

/** So many chunks for each one under way, where there are items enough: the last ones end together. */
const rounds = 4;

const hour = 3_600_000;

/** Items worked on at a time, of one chunk. */
export const atOnceOf = (own: OwnSweep): number => own.atOnce ?? 8;

/** Attempts of an item before it is failed. */
export const attemptsOf = (own: OwnSweep): number => own.attempts ?? 10;

/** The limit that items of the sweep begin by. */
export const limitOf = (own: Pick<OwnSweep, 'name'>): string => `steps/${own.name}`;

const windowOf = (own: OwnSweep): number => own.window ?? 4;

const largestChunk = (own: OwnSweep): number =>
  own.chunk ?? Math.min(mostInChunk, Math.max(1, Math.floor((chunkSeconds * atOnceOf(own)) / (own.itemSeconds ?? 0.1))));

/** Items of a part of the list. */
export const perPartOf = (own: OwnSweep): number => own.chunk ?? Math.min(mostInPart, largestChunk(own));

/** Parts that make a chunk, of a list of so many. */
export const partsPerChunkOf = (own: OwnSweep, parts: number): number =>
  Math.max(1, Math.min(Math.floor(largestChunk(own) / perPartOf(own)), Math.ceil(parts / (rounds * windowOf(own)))));

const output = z.object({
  items: z.int(),
  done: z.int().describe('Items that ended well, without a word of their own.'),
  failed: z.int().describe('Items that failed: in the ledger with the reason.'),
  statuses: z.record(z.string(), z.int()).describe('Items by each status of the ledger.'),
});

const withResults = output.extend({
  results: z
    .string()
    .describe('The rows that items gave, as Parquet files: a source for `dataset.append`, and for `context.rows` of own steps.'),
});

/** Statuses that the code of a sweep writes out. */
const statusesIn = (own: OwnSweep): string[] =>
  [...own.each.toString().matchAll(/\bstatus: *['"`](\w+)['"`]/g)].map(([, status]) => status!);

/** An own sweep in the shape of a built-in one. */
export function toSweep(sweep: Own<OwnSweep>): Step {
  const { code: own } = sweep;
  const fields = ownFields(sweep);
  return {
    ...fields,
    kind: 'sweep',
    tolerates: ['failed', 'unknown', ...statusesIn(own)],
    output: own.result ? withResults : output,
    timeouts: { attemptMs: hour, deadlineMs: 72 * hour },
    window: windowOf(own),
    forecast: (_, facts) => ({
      ...ownForecast(
        own,
        `${fields.summary.replace(/\.$/, '')}, item by item${typeof facts.listed === 'number' ? `: ${counted(facts.listed, 'item')}` : ''}`,
        facts.listed,
      ),
      ...(facts.items === undefined ? {} : { items: facts.items }),
    }),
  };
}
