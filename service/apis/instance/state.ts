import type { Clock } from '../../core/clock.ts';
import type { Identity } from '../../core/identity/identity.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import type { Records } from '../../core/records/database.ts';
import type { Agents } from '../../engine/agents/agents.ts';
import type { DocumentStore } from '../../engine/documents/store.ts';
import type { Signer } from '../../engine/signature.ts';
import type { Budgets } from '../../engine/budgets/budgets.ts';
import type { Codes } from '../../engine/codes/codes.ts';
import type { Files } from '../../engine/files/files.ts';
import type { WorkProjects } from '../../engine/projects/projects.ts';
import type { Workflows } from '../../engine/workflows/workflows.ts';

/** What the handlers of the instance API stand on. */
export type InstanceState = {
  records: Records;
  clock: Clock;
  identity: Identity;
  files: Files;
  projects: WorkProjects;
  budgets: Budgets;
  workflows: Workflows;
  codes: Codes;
  agents: Agents;
  documents: DocumentStore;
  signer: Signer;
  readings: ServiceReadings;
};
