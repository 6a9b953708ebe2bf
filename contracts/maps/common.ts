import { z } from 'zod';

/** The answer of an operation whose success is its status: SuccessResponse, an empty object, null or nothing. */
export const acknowledged = z.looseObject({}).nullish();

/** A list of an answer: absent and null mean that it is empty. */
export const listed = <T extends z.ZodType>(member: T) =>
  z
    .array(member)
    .nullish()
    .transform((list) => list ?? []);

/** A flag of an answer: absent and null mean false. */
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

/** A uuid in any of the versions that the service may issue. */
export const id = z.guid().toLowerCase();

/** A field that may be left out or null, with what it then is. */
export const orElse = <T extends z.ZodType, D>(schema: T, otherwise: D) => schema.nullish().transform((value) => value ?? otherwise);
