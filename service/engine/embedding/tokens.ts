/** Words and marks: the vocabulary of the hosted models is not part of the service. */
const token = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;

export const tokensOf = (text: string): number => text.match(token)?.length ?? 0;

/** A text up to its first so many tokens. */
export const firstTokens = (text: string, most: number): string => {
  let count = 0;
  for (const match of text.matchAll(token)) {
    count += 1;
    if (count > most) return text.slice(0, match.index);
  }
  return text;
};
