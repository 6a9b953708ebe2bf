import { z } from 'zod';

/** A uuid in any of the versions that the service may issue. */
export const id = z.guid().toLowerCase();

/** Fields of a page (instance text, Endpoints): null or absent `nextCursor` at the end. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({ data: z.array(item), nextCursor: z.string().nullish(), totalCount: z.int().nullish() });

/** How the lists of the API go on. */
export const cursorPage = { by: 'cursor', cursor: 'cursor', next: 'nextCursor', items: 'data', total: 'totalCount' } as const;

/** The same of lists that do not count their items. */
export const uncountedPage = { by: 'cursor', cursor: 'cursor', next: 'nextCursor', items: 'data' } as const;

/** Items of a page. The text writes `limit` as a string on keys and users: in a query both are the same. A largest one is shown for users alone. */
export const pageSize = z.int().min(1).optional();

/** Items of a page, where the text shows the largest one. */
export const pageSizeUpTo = (most: number) => z.int().min(1).max(most).optional();
