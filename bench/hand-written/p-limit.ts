import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { all, arrowOf, HttpFailure, idsPerTag, newMap, request, rowsPerUpload, type Job, type Row } from './api.ts';

// Dataset, rows, map, tag, by a script: started again by its caller until it ends well.
const job = JSON.parse(process.argv[2]!) as Job;
const attempts = 8;

async function call(method: string, path: string, body?: unknown): Promise<any> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request(job, method, path, body);
    } catch (error) {
      const status = error instanceof HttpFailure ? error.status : 0;
      if (attempt === attempts || (status >= 400 && status < 500 && status !== 429)) throw error;
      const asked = error instanceof HttpFailure ? error.retryAfter * 1_000 : 0;
      await sleep(asked || 250 * 2 ** attempt * (0.5 + Math.random() / 2));
    }
  }
}

async function dataset(): Promise<{ id: string }> {
  const { organizations } = await call('GET', '/v1/user/');
  const [{ organization_id, slug }] = organizations;
  try {
    return await call('GET', `/v1/project/${slug}/${job.slug}`);
  } catch (error) {
    if (!(error instanceof HttpFailure && error.status === 404)) throw error;
  }
  const made = { organization_id, project_name: job.slug, slug: job.slug, unique_id_field: 'id' };
  return { id: (await call('POST', '/v1/project/create', made)).project_id };
}

async function map(datasetId: string): Promise<string> {
  const find = async () => (await call('GET', `/v1/project/${datasetId}`)).atlas_indices[0];
  if (!(await find())) await call('POST', '/v1/project/index/create', newMap(datasetId));
  for (;;) {
    const index = await find();
    const { index_build_stage: stage } = await call('GET', `/v1/project/index/job/progress/${index.id}`);
    if (stage === 'Failed') throw new Error('the map could not be built');
    if (stage === 'Completed' || stage === 'Done') return index.projections[0].id;
    await sleep(500);
  }
}

const limit = pLimit(4);
const rows = JSON.parse(await readFile(job.file, 'utf8')) as Row[];
const { id } = await dataset();
const starts = Array.from({ length: Math.ceil(rows.length / rowsPerUpload) }, (_, at) => at * rowsPerUpload);
await limit.map(starts, (from) => call('POST', '/v1/project/data/add/arrow', arrowOf(rows.slice(from, from + rowsPerUpload), from, id)));
const projection_id = await map(id);
const answer = await call('POST', '/v1/query', { projection_id, selection: all });
const ids = (Array.isArray(answer) ? answer : answer.data) as string[];
const parts = Array.from({ length: Math.ceil(ids.length / idsPerTag) }, (_, at) => ids.slice(at * idsPerTag, (at + 1) * idsPerTag));
const tagged = await limit.map(parts, (part) =>
  call('POST', '/v1/query/update/tag/ids', { projection_id, tag_name: 'far', ids: part, operation: 'add', id_field: 'id' }),
);
const count = tagged.reduce((sum, { points_tagged }) => sum + points_tagged, 0);
if (count !== rows.length) throw new Error(`${count} of ${rows.length} points are tagged`);
