import { z } from 'zod';

/** What to write where a value is wrong, of kinds of values for which nobody can know what was meant: no other value is proposed. */
export const remedies = z.registry<{ remedy: string }>();
