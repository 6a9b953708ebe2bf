import type { Intents } from '../../store/intents.ts';

/** What the calls of further prompts begin with in the journal of an item. */
export const followUps = 'instance.agents.followup ';

/** What the journal knows of the further prompts of an item. */
export const sentIn = (intents: Intents) => [...intents.calls()].flatMap(([call, state]) => (call.startsWith(followUps) ? [state] : []));

/** Prompts that were sent, or may have been. */
export const promptsOf = (intents: Intents): number => 1 + sentIn(intents).filter(({ is }) => is !== 'new').length;
