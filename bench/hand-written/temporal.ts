import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { all, arrowOf, HttpFailure, idsPerTag, newMap, request, rowsPerUpload, type Job, type Row } from './api.ts';

/** A refusal is final, a wait is as long as the service says, anything else is tried again. */
async function call(job: Job, method: string, path: string, body?: unknown): Promise<any> {
  try {
    return await request(job, method, path, body);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.retryAfter > 0)
      throw ApplicationFailure.create({ message: error.message, type: 'Wait', nextRetryDelay: error.retryAfter * 1_000 });
    if (error.status >= 400 && error.status < 500 && error.status !== 429)
      throw ApplicationFailure.create({ message: error.message, type: 'Refused' });
    throw error;
  }
}

/** The cursor of the last attempt: where its work is taken up. */
const cursor = (from: number): number => (activityInfo().heartbeatDetails as number | undefined) ?? from;

export const activities = {
  async ensureDataset(job: Job): Promise<string> {
    const { organizations } = await call(job, 'GET', '/v1/user/');
    const [{ organization_id, slug }] = organizations;
    try {
      return (await request(job, 'GET', `/v1/project/${slug}/${job.slug}`)).id;
    } catch (error) {
      if (!(error instanceof HttpFailure && error.status === 404)) throw error;
    }
    const made = { organization_id, project_name: job.slug, slug: job.slug, unique_id_field: 'id' };
    return (await call(job, 'POST', '/v1/project/create', made)).project_id;
  },

  async appendRows(job: Job, dataset: string, from: number, to: number): Promise<void> {
    const rows = JSON.parse(await readFile(job.file, 'utf8')) as Row[];
    for (let at = cursor(from); at < to; at += rowsPerUpload) {
      heartbeat(at);
      await call(job, 'POST', '/v1/project/data/add/arrow', arrowOf(rows.slice(at, Math.min(to, at + rowsPerUpload)), at, dataset));
    }
  },

  async createMap(job: Job, dataset: string): Promise<void> {
    const { atlas_indices } = await call(job, 'GET', `/v1/project/${dataset}`);
    if (atlas_indices.length === 0) await call(job, 'POST', '/v1/project/index/create', newMap(dataset));
  },

  async awaitMap(job: Job, dataset: string): Promise<string> {
    for (;;) {
      heartbeat();
      const [index] = (await call(job, 'GET', `/v1/project/${dataset}`)).atlas_indices;
      const { index_build_stage: stage } = await call(job, 'GET', `/v1/project/index/job/progress/${index.id}`);
      if (stage === 'Failed') throw ApplicationFailure.nonRetryable('the map could not be built');
      if (stage === 'Completed' || stage === 'Done') return index.projections[0].id;
      await sleep(500);
    }
  },

  /** Ids are too many for a history: they go through a file. */
  async selectAll(job: Job, projection_id: string): Promise<{ file: string; count: number }> {
    const answer = await call(job, 'POST', '/v1/query', { projection_id, selection: all });
    const ids = Array.isArray(answer) ? answer : answer.data;
    const file = `${job.file}.${projection_id}.ids.json`;
    await writeFile(file, JSON.stringify(ids));
    return { file, count: ids.length };
  },

  async tagIds(job: Job, projection_id: string, file: string, from: number, to: number): Promise<number> {
    const ids = JSON.parse(await readFile(file, 'utf8')) as string[];
    for (let at = cursor(from); at < to; at += idsPerTag) {
      heartbeat(at);
      const part = ids.slice(at, Math.min(to, at + idsPerTag));
      await call(job, 'POST', '/v1/query/update/tag/ids', { projection_id, tag_name: 'far', ids: part, operation: 'add', id_field: 'id' });
    }
    return to - from;
  },
};
