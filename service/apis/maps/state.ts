import type { Clock } from '../../core/clock.ts';
import type { Builds } from '../../engine/datasets/builds.ts';
import type { Updates } from '../../engine/datasets/updates.ts';
import type { Datasets } from '../../engine/datasets/store.ts';
import type { Blobs } from '../../engine/blobs.ts';
import type { Embedder } from '../../engine/embedding/embedder.ts';
import type { Outside } from '../../engine/outside.ts';
import type { Meter } from '../../engine/meter.ts';
import type { Identity } from '../../core/identity/identity.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import type { Records } from '../../core/records/database.ts';
import type { DocumentStore } from '../../engine/documents/store.ts';
import type { Removals } from '../../engine/removals.ts';
import type { Resources } from '../../engine/resources/resources.ts';
import type { Signer } from '../../engine/signature.ts';
import type { Uploads } from '../../engine/uploads/store.ts';

/** What the handlers of the maps API share. */
export type MapsState = {
  records: Records;
  datasets: Datasets;
  builds: Builds;
  updates: Updates;
  embedder: Embedder;
  meter: Meter;
  blobs: Blobs;
  outside: Outside;
  clock: Clock;
  identity: Identity;
  uploads: Uploads;
  documents: DocumentStore;
  resources: Resources;
  signer: Signer;
  removals: Removals;
  readings: ServiceReadings;
};
