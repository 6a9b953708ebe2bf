import { z } from 'zod';

/** SuccessResponse of the maps text. */
export const success = z.looseObject({ result: z.literal('ok') });

/** 422 body of the maps text. */
export const validationError = z.object({
  detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })),
});

/** A uuid in any of the versions that the service may issue. */
export const id = z.guid();
