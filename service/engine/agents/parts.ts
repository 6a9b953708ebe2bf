import type { Tables } from '../../../child/tables.ts';
import type { Clock } from '../../core/clock.ts';
import type { Faults } from '../../core/faults.ts';
import type { Records } from '../../core/records/database.ts';
import type { Model } from './model.ts';
import type { Pace } from './pace.ts';
import type { AgentHost } from './ports.ts';

/** What the control plane may change while the service runs. */
export type AgentSettings = {
  pace: Pace;
  /** So many answers of the model fail from now on. */
  failures: { left: number; category: string; again: boolean };
};

/** What the engine of agents is made of. */
export type EngineParts = {
  records: Records;
  clock: Clock;
  host: AgentHost;
  tables: Tables;
  model: Model;
  settings: AgentSettings;
  /** Folder for files of tools, emptied at every start. */
  scratch: string;
  reach: Faults['reach'];
};
