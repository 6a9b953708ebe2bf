import type { Records } from '../core/records/database.ts';

/** A table with one row for a user and what it is about, and the column of it that is set. */
export type ByUser = { table: 'work_members' | 'budget_limits'; of: 'project_id' | 'budget_id'; value: 'role' | 'limit_cents' };

/**
 * Sets what each of these users has, null takes it away, and leaves everybody else alone. Returns the number of rows changed: what is so
 * already is none. Call inside a transaction, so that all are set or none.
 */
export const setByUser = (
  records: Records,
  { table, of, value: column }: ByUser,
  id: string,
  entries: readonly { user: string; value: string | number | null }[],
): number =>
  entries.reduce(
    (changed, { user, value }) =>
      changed +
      (value === null
        ? records.run(`DELETE FROM ${table} WHERE ${of} = ? AND user_id = ?`, id, user)
        : records.run(
            `INSERT INTO ${table} (${of}, user_id, ${column}) VALUES (?, ?, ?)
             ON CONFLICT (${of}, user_id) DO UPDATE SET ${column} = excluded.${column} WHERE ${column} <> excluded.${column}`,
            id,
            user,
            value,
          )),
    0,
  );
