import { z } from 'zod';

/** What to write where a value is wrong, of kinds of values for which nobody can know what was meant: no other value is proposed. `of`: only where such a value stands there. */
export const remedies = z.registry<{ remedy: string | ((value: unknown) => string); of?: (value: unknown) => boolean }>();

/** What to write in the place of a value, where no other is to be proposed. */
export function remedyOf(schema: z.ZodType, value: unknown): string | undefined {
  const found = remedies.get(schema);
  if (found === undefined || found.of?.(value) === false) return undefined;
  return typeof found.remedy === 'string' ? found.remedy : found.remedy(value);
}
