import type { OperationName } from '../../../contracts/index.ts';
import { isoTime } from '../../core/clock.ts';
import type { Records } from '../../core/records/database.ts';

type Act = { userId: string; operation: OperationName; subject: string; reason: string | undefined };

/** Notes who did what to whom and why; called inside the transaction of the act. */
export const audit = (records: Records, { userId, operation, subject, reason }: Act): void =>
  void records.run(
    'INSERT INTO audit (at, user_id, operation, subject, reason) VALUES (?, ?, ?, ?, ?)',
    isoTime(),
    userId,
    operation,
    subject,
    reason ?? null,
  );
