import { z } from 'zod';
import { duration } from '../../file/schema.ts';
import { define } from '../../step.ts';

export const definition = define({
  name: 'gate.approve',
  summary: 'Wait until a person approves or rejects; a rejection fails the run.',
  kind: 'gate',
  effect: 'safe',
  operations: [],
  timeouts: { attemptMs: 0, deadlineMs: 0, pollMs: 7 * 86_400_000 },
  input: z.strictObject({
    approves: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('Steps that the decision lets act; they wait for it. Default: the steps that need this one.'),
    who: z.string().min(1).optional().describe('Who is meant to decide: shown, not enforced.'),
    expires: duration.default('7d').describe('Undecided after so long, the run fails.'),
    show: z.unknown().optional().describe('What the decision is about.'),
  }),
  output: z.object({ approved: z.literal(true), who: z.string(), note: z.string(), at: z.string() }),
  forecast: (input) => ({ does: `wait for approval${input?.who ? ` by ${input.who}` : ''}, at most ${input?.expires ?? '7d'}`, calls: [] }),
  example: { who: 'security', expires: '24h', show: '${{ steps.find.count }}' },
});
