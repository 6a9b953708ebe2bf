import { tableFromArrays, tableToIPC } from 'apache-arrow';

// What both hand-written ways need of the API: one request, and one upload body.
export type Row = { delay: number; distance: number; time: number };
export type Job = { url: string; key: string; file: string; slug: string };

export class HttpFailure extends Error {
  readonly status: number;
  readonly retryAfter: number;
  constructor(status: number, retryAfter: number, text: string) {
    super(`${status}: ${text.slice(0, 300)}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export async function request(job: Job, method: string, path: string, body?: unknown): Promise<any> {
  const bytes = body instanceof Uint8Array;
  const reply = await fetch(job.url + path, {
    method,
    headers: { authorization: `Bearer ${job.key}`, 'content-type': bytes ? 'application/octet-stream' : 'application/json' },
    ...(body === undefined ? {} : { body: bytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await reply.text();
  if (!reply.ok) throw new HttpFailure(reply.status, Number(reply.headers.get('retry-after')) || 0, text);
  return JSON.parse(text);
}

export const rowsPerUpload = 10_000;
export const idsPerTag = 2_500;

/** Ids are made from the position of the row, so that rows sent again are known by their ids and skipped. */
export function arrowOf(rows: Row[], from: number, datasetId: string): Uint8Array {
  const table = tableFromArrays({
    id: rows.map((_, at) => `row-${from + at}`),
    delay: Int32Array.from(rows, ({ delay }) => delay),
    distance: Int32Array.from(rows, ({ distance }) => distance),
    time: Float32Array.from(rows, ({ time }) => time),
  });
  table.schema.metadata.set('project_id', datasetId).set('on_id_conflict_ignore', 'true');
  return tableToIPC(table, 'file');
}

export const newMap = (datasetId: string) => ({
  project_id: datasetId,
  index_name: 'map',
  indexed_field: null,
  colorable_fields: ['delay', 'distance', 'time'],
  model: null,
  nearest_neighbor_index: null,
  projection: 'SvcProject',
  projection_hyperparameters: '{"model":"random"}',
});

export const all = { method: 'composition', conjunctor: 'ALL', filters: [{ method: 'range', field: 'distance', range: [0, 100_000] }] };
