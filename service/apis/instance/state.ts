import type { Clock } from '../../core/clock.ts';
import type { Records } from '../../core/records/database.ts';
import type { Agents } from '../../engine/agents/agents.ts';
import type { Signer } from '../../engine/signature.ts';
import type { Files } from '../../engine/files/files.ts';

/** What the handlers of the instance API stand on. */
export type InstanceState = { records: Records; clock: Clock; files: Files; agents: Agents; signer: Signer };
