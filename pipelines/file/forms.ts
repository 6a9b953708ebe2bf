import { z } from 'zod';

/** Of a union the form that a value is meant to have, by its number, where the value shows it: findings are of that form. */
export const forms = z.registry<{ of: (value: unknown) => number }>();
