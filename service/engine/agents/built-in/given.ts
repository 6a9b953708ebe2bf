import { wishesOf } from './wishes.ts';

/** A sentence, or what stands of one on a line. */
const segment = /[^\n]+?(?:[.!?](?=\s)|(?=\n)|$)/g;

/**
 * What a prompt gives to be worked on, apart from what it asks: `behindColon` where a colon divides them (`Summarise: …`), else its
 * sentences that ask for nothing. Undefined where it only asks.
 */
export const givenIn = (prompt: string): { text: string; behindColon: boolean } | undefined => {
  const rest: string[] = [];
  for (const { 0: part, index } of prompt.matchAll(segment)) {
    const colon = part.search(/:(?:\s|$)/);
    const behind = colon === -1 ? '' : prompt.slice(index + colon + 1).trim();
    if (behind !== '' && wishesOf(part.slice(0, colon)).understood) return { text: behind, behindColon: true };
    if (!wishesOf(part).understood) rest.push(part.trim());
  }
  const text = rest.filter((part) => part !== '').join('\n');
  // A prompt that asks for nothing is no text that somebody has given to be worked on.
  return text === '' || !wishesOf(prompt).understood ? undefined : { text, behindColon: false };
};
