import { invalidPlaces, invalidParameter } from '../../core/errors.ts';

/** Members of a page where no limit is named (text). */
const usual = 50;

/**
 * One page of a list of users, by their ids: who joins or leaves meanwhile moves nobody else. `read` gives rows with a greater user id,
 * `count` at most.
 */
export const membersPage = <R extends { id: string }, T>(
  { limit = usual, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  read: (behind: string, count: number) => R[],
  view: (row: R) => T,
  totalCount: number,
): { data: T[]; nextCursor: string | null; totalCount: number } => {
  const behind = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString();
  if (cursor !== undefined && !/^[0-9a-f-]{36}$/.test(behind))
    throw invalidParameter('cursor', 'is no cursor of this list: send nextCursor of the page before');
  const rows = read(behind, limit + 1);
  const shown = rows.slice(0, limit);
  const nextCursor = rows.length > limit ? Buffer.from(shown.at(-1)!.id).toString('base64url') : null;
  return { data: shown.map(view), nextCursor, totalCount };
};

/** Refuses a batch as a whole where an entry stands in it twice, or is no good: `problem` says why. */
export const checkBatch = <E extends { user: string }>(entries: readonly E[], problem: (entry: E) => string | undefined): void => {
  const seen = new Set<string>();
  const findings = entries.flatMap((entry, at) => {
    const msg = seen.has(entry.user) ? 'stands in the batch twice' : problem(entry);
    seen.add(entry.user);
    return msg === undefined ? [] : [{ at: ['members', at, 'user'], msg: `${entry.user} ${msg}` }];
  });
  if (findings.length > 0) throw invalidPlaces(findings);
};
