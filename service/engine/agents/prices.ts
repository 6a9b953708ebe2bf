import { tokensOf } from '../embedding/tokens.ts';
import type { Answer, Price, Situation, Tokens } from './model.ts';

/** Of a model whose price nobody has said. */
const usual: Price = { input: 3_000, output: 15_000, cacheCreation: 3_750, cacheRead: 300 };

/** Cost in billionths of a US dollar: an integer, so that sums are exact. */
export const nanoUsdOf = (
  { input, output, cacheCreation, cacheRead }: Price = usual,
  { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens }: Tokens,
): number => Math.round(inputTokens * input + outputTokens * output + cacheCreationTokens * cacheCreation + cacheReadTokens * cacheRead);

export const jsonTokens = (value: unknown): number => tokensOf(typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Tokens of a round where its model counts none: words and marks. What an earlier round has read or written is read from the cache; new
 * are the prompt, and what the tools of the last round have found.
 */
export const countTokens = ({ entries, round, instructions, files }: Situation, { thinking = '', text = '', calls }: Answer): Tokens => {
  const frame = tokensOf(instructions ?? '') + files.reduce((sum, { name }) => sum + tokensOf(name), 0);
  let [seen, fresh] = round === 1 ? [0, frame] : [frame, 0];
  for (const entry of entries) {
    if (entry.type !== 'tool') {
      if (entry.round < round) seen += tokensOf(entry.text);
      else fresh += tokensOf(entry.text);
      continue;
    }
    seen += jsonTokens(entry.call.args);
    if (entry.round < round - 1) seen += jsonTokens(entry.result);
    else fresh += jsonTokens(entry.result);
  }
  const written = tokensOf(thinking) + tokensOf(text) + calls.reduce((sum, { name, args }) => sum + tokensOf(name) + jsonTokens(args), 0);
  return { inputTokens: fresh, outputTokens: written, cacheCreationTokens: 0, cacheReadTokens: seen };
};
