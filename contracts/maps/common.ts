import { z } from 'zod';

/** SuccessResponse of the maps text. */
export const success = z.looseObject({ result: z.literal('ok') });

/** A uuid in any of the versions that the service may issue. */
export const id = z.guid();
