/** A duration as it is written everywhere: a whole number from 1 with its unit. */
export const durationPattern = /^[1-9]\d*[smhd]$/;

export const durationRule = 'a duration such as 90s, 30m, 24h or 7d';

/** What to write for a duration of nothing: there is none. */
export const zeroDuration = {
  remedy: 'write 1s or more: 0 is no duration',
  of: (value: unknown): boolean => /^\s*0+([.,]0+)?\s*[a-z]*\s*$/i.test(String(value)),
} as const;

/** The same, and what to write for a number alone where hours are as likely as seconds: no unit is guessed. */
export const unitless = {
  remedy: (value: unknown): string => {
    if (zeroDuration.of(value)) return zeroDuration.remedy;
    const count = /^\s*(\d+)\s*$/.exec(String(value))?.[1] ?? '90';
    return `write a number with its unit: ${count}s for seconds, ${count}m for minutes, ${count}h for hours, ${count}d for days`;
  },
  of: (value: unknown): boolean => zeroDuration.of(value) || /^\s*\d+([.,]\d+)?\s*$/.test(String(value)),
} as const;

const units: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration. Fails where the text is none. */
export function milliseconds(text: string): number {
  if (!durationPattern.test(text)) throw new Error(`'${text}' is not ${durationRule}`);
  return Number(text.slice(0, -1)) * units[text.at(-1)!]!;
}
