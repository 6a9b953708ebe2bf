/** Greater than every id. */
const end = '~';

/**
 * One page, newest first, of a list whose ids grow with time and are its cursors: what is added or removed meanwhile moves nothing.
 * `read` gives rows with a smaller id, `count` at most.
 */
export const pageById =
  <R extends { id: string }>(
    { limit, cursor = end }: { limit: number; cursor?: string | undefined },
    read: (behind: string, count: number) => R[],
  ) =>
  <T>(view: (row: R) => T): { data: T[]; nextCursor: string | null } => {
    const rows = read(cursor, limit + 1);
    const shown = rows.slice(0, limit);
    return { data: shown.map(view), nextCursor: rows.length > limit ? shown.at(-1)!.id : null };
  };
