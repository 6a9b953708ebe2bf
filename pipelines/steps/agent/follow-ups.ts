import { z } from 'zod';

const pattern = z
  .string()
  .min(1)
  .max(500)
  .superRefine((text, context) => {
    try {
      RegExp(text, 'iu');
    } catch (error) {
      const why = (error as Error).message.replace(/^Invalid regular expression: /, '');
      const remedy = 'correct the regular expression; a backslash before one of ( ) [ ] { } * + ? . | ^ $ makes it stand for itself';
      context.addIssue({ code: 'custom', message: `is no regular expression: ${why}`, params: { remedy } });
    }
  });

/** When an agent that has ended is sent a further prompt. */
export const followUp = z.strictObject({
  when: z
    .strictObject({
      status: z
        .array(z.enum(['finished', 'stopped', 'failed']))
        .min(1)
        .default(['finished'])
        .describe('How the turn must have ended.'),
      says: pattern.optional().describe('What its last word holds: a regular expression, in any case.'),
      lacks: pattern.optional().describe('What its last word does not hold.'),
    })
    .default({ status: ['finished'] }),
  prompt: z.string().min(1).max(20_000).describe('The further prompt; `{{COLUMN}}` stands for the value of the item.'),
});

export type FollowUp = z.output<typeof followUp>;

/** The first follow-up whose conditions an agent meets; `turn`: prompts so far. */
export const followUpFor = (
  rules: readonly FollowUp[],
  { status, lastWord, turn, turns }: { status: string; lastWord: string; turn: number; turns: number },
): FollowUp | undefined =>
  turn >= turns
    ? undefined
    : rules.find(
        ({ when: { status: ends, says, lacks } }) =>
          ends.some((end) => end === status) &&
          (says === undefined || new RegExp(says, 'iu').test(lastWord)) &&
          (lacks === undefined || !new RegExp(lacks, 'iu').test(lastWord)),
      );
