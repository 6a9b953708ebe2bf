import { z } from 'zod';

/**
 * A name that is given to something, and a slug that is asked for: something of it can be seen, and it fits an address (assumption: no text
 * shows a length). U+FEFF is white space to this language and not to others, which read the pattern in OpenAPI.
 */
export const name = z
  .string()
  .max(500)
  .regex(/[^\s\ufeff]/, 'must not be empty or of blanks alone');
