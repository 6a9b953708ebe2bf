import type { Faults } from '../../core/faults.ts';
import type { Records } from '../../core/records/database.ts';
import type { FileBytes } from './bytes.ts';
import { faultOf, headBytes } from './kinds.ts';

type Waiting = { id: string; name: string; version_id: string };

/** Looks at uploaded files, one after the other; what a kill left under way is looked at again. */
export const createIngest = (records: Records, bytes: FileBytes, reach: Faults['reach']) => {
  const underWay = new Set<Promise<void>>();
  let order = Promise.resolve();
  let closed = false;

  const ingest = async ({ id, name, version_id }: Waiting): Promise<void> => {
    await reach('file.ingesting');
    if (closed) return;
    const fault = await bytes.head(version_id, headBytes).then(
      (head) => faultOf(name, head),
      (error: unknown) => `its bytes cannot be read: ${String(error)}`,
    );
    // Another version may have come meanwhile, which is looked at by itself.
    if (!closed)
      records.run(
        "UPDATE files SET status = ?, fault = ? WHERE id = ? AND version_id = ? AND status = 'processing'",
        fault === undefined ? 'ready' : 'failed',
        fault ?? null,
        id,
        version_id,
      );
  };
  const begin = (waiting: Waiting): void => {
    order = order
      .then(() => ingest(waiting))
      .catch((error: unknown) => void process.stderr.write(`file ${waiting.id}: ${String(error)}\n`));
    const mine = order.finally(() => underWay.delete(mine));
    underWay.add(mine);
  };
  return {
    begin,
    resume(): void {
      for (const waiting of records.all<Waiting>(
        "SELECT id, name, version_id FROM files WHERE status = 'processing' AND discarded_at IS NULL",
      ))
        begin(waiting);
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
};
