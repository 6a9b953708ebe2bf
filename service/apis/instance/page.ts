import { invalidParameter } from '../../core/errors.ts';

/** Items of a page where no limit is named (assumption for keys, text for users). */
const usual = 100;

/** A row's place in a list that goes from the newest to the oldest. */
type Place = { created_at: string; id: string };

const encode = ({ created_at, id }: Place): string => Buffer.from(JSON.stringify([created_at, id])).toString('base64url');

const decode = (cursor: string): Place => {
  try {
    const [created_at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof created_at === 'string' && typeof id === 'string') return { created_at, id };
  } catch {
    // Refused below.
  }
  throw invalidParameter('cursor', 'is no cursor of this list: send nextCursor of the page before');
};

/**
 * One page, newest first, of a list that `read` gives behind a place, `count` rows at most. What was added since the first page
 * is not on the pages after it, and nothing comes twice.
 */
export const page = <R extends Place, T>(
  { limit = usual, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  read: (behind: Place, count: number) => R[],
  view: (row: R) => T,
  totalCount: number,
): { data: T[]; nextCursor: string | null; totalCount: number } => {
  const rows = read(cursor === undefined ? { created_at: '~', id: '~' } : decode(cursor), limit + 1);
  const shown = rows.slice(0, limit);
  return { data: shown.map(view), nextCursor: rows.length > limit ? encode(shown.at(-1)!) : null, totalCount };
};
