import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { createTables } from '../../child/host/create-tables.ts';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { batches } from '../../contracts/maps/batches.ts';
import { answer, scriptInput } from '../support-process.ts';
import type { ScriptInput } from '../support-ingest.ts';

// The straight script: the same reading and the same client, and nothing besides: no ledger, no repeat, no check.
const { url, token, file, dataset, idField, concurrency } = scriptInput<ScriptInput>();
const api = createClient('maps', { baseUrl: url, token, permits: createPermits() });
const tables = createTables();
const folder = await mkdtemp(join(tmpdir(), 'portolan-script-'));
// The child is started before the clock is, as a worker's is.
await tables.inspect(file);

const started = performance.now();
const before = process.cpuUsage();
const { shards, sent } = await tables.shard({
  source: file,
  id: { row: true },
  into: join(folder, 'rows'),
  projectId: dataset,
  idField,
  maxRows: batches.rows.most,
  maxBytes: batches.bytes.most,
});
await pLimit(concurrency).map(shards, async (shard) => api.data.addArrow({ body: await readFile(shard.file) }));
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(before);
await rm(folder, { recursive: true });
await tables.close();
answer({ seconds, cpu: (user + system) / 1e6, rows: sent });
