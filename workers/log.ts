import { DefaultLogger, type LogLevel, type LogMetadata } from '@temporalio/worker';
import { earlyQuery } from '../workflows/messages.ts';

/** The log of the runtime. A query that came early is refused on purpose (`workflows/whole-tasks.ts`): it is no error of the worker. */
export class WorkerLog extends DefaultLogger {
  override log(level: LogLevel, message: string, meta?: LogMetadata): void {
    const error: unknown = meta?.['error'];
    if (error instanceof Error && error.message === earlyQuery) return;
    super.log(level, message, meta);
  }
}
