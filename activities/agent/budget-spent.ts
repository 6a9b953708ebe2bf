import type { OutputOf } from '../../client/invoke.ts';
import { spendLimit } from '../../contracts/instance/agents.ts';

/** What an agent is told that goes on when there is a budget again. */
export const goOn = 'Go on with what you were asked: the budget that had ended is there again.';

/** Has the budget ended during its last turn? By the code in its last message (assumption: the text shows no reason of a failure). */
export const endedByBudget = ({
  status,
  messages,
}: { status: string } & Pick<OutputOf<'instance.agents.conversation'>, 'messages'>): boolean => {
  const last = messages.at(-1);
  return status === 'failed' && last?.type === 'error' && last.text?.includes(spendLimit.code) === true;
};
