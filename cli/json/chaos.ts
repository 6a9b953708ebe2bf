import { z } from 'zod';

const side = z.strictObject({
  side: z.enum(['by hand', 'pipeline']),
  lines: z.int().describe('Lines of its file, without blank ones and comments.'),
  seconds: z.number(),
  killed: z.int().describe('Times that its process was killed (SIGKILL) with a launch under way.'),
  answersLost: z.int().describe('Answers that were lost after their effect, those of the kills not among them.'),
  refused: z.int().describe('Answers 429: a limit was closed.'),
  requests: z.int(),
  launched: z.int().describe('Agents that the service has launched.'),
  launchedTwice: z.int().describe('Of them, those of a note that had one already.'),
  followUps: z.int(),
  followUpsTwice: z.int(),
  lost: z.int().describe('Notes without a result.'),
  paidUsd: z.number(),
  paidTwiceUsd: z.number().describe('What agents have cost that no result is of.'),
});

/** `portolan demo chaos`. */
export const chaosResult = z.strictObject({ items: z.int(), sides: z.array(side) });

export type SideFigures = z.output<typeof side>;
