import type { Clock } from '../../core/clock.ts';
import type { Records } from '../../core/records/database.ts';
import type { Files } from '../../engine/files/files.ts';

/** What the handlers of the instance API stand on. */
export type InstanceState = { records: Records; clock: Clock; files: Files };
