import type { Bench } from './bench.ts';
import { bench as commands } from './commands.ts';
import { bench as growth } from './growth.ts';
import { bench as handWritten } from './hand-written.ts';
import { bench as ingestCpu } from './ingest-cpu.ts';
import { bench as ingest1m } from './ingest-1m.ts';
import { bench as items } from './items.ts';
import { bench as latency } from './latency.ts';
import { bench as service } from './service.ts';
import { bench as tiles } from './tiles.ts';
import { bench as topk } from './topk.ts';
import { bench as upload } from './upload.ts';

/** Every bench, in the order in which `npm run bench` runs them. */
export const benches: readonly Bench[] = [commands, growth, ingest1m, ingestCpu, items, latency, handWritten, service, tiles, topk, upload];
