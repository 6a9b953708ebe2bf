/** A size as it is written everywhere: a number with its unit. */
export const sizePattern = /^(\d+(?:\.\d+)?) ?(kB|MB|GB|TB)$/;

export const sizeRule = 'a size such as 500MB or 20GB';

const units: { readonly [unit: string]: number } = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Bytes of a size. Fails where the text is none. */
export function bytesOf(text: string): number {
  const [, number, unit] = sizePattern.exec(text) ?? [];
  if (number === undefined || unit === undefined) throw new Error(`'${text}' is not ${sizeRule}`);
  return Number(number) * units[unit]!;
}
