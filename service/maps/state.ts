import type { Clock } from '../clock.ts';
import type { Builds } from '../datasets/builds.ts';
import type { Datasets } from '../datasets/store.ts';
import type { Embedder } from '../embedding/provider.ts';
import type { Records } from '../records/database.ts';
import type { Uploads } from '../uploads/store.ts';

/** What the handlers of the maps API share. */
export type MapsState = {
  records: Records;
  datasets: Datasets;
  builds: Builds;
  embedder: Embedder;
  clock: Clock;
  uploads: Uploads;
};
