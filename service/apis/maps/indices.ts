import type { maps } from '../../../contracts/maps/index.ts';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import { checkBlobs } from '../../engine/datasets/check-blobs.ts';
import { createIndex, indexRow, newIndexIds, removeIndex } from '../../engine/datasets/indices.ts';
import { wantedLabels } from '../../engine/labels/options.ts';
import { placedShare } from '../../engine/datasets/place.ts';
import { isBuilding } from '../../engine/datasets/schema.ts';
import type { IndexRow, Stage } from '../../engine/datasets/schema.ts';
import { isVisionModel } from '../../../contracts/maps/models.ts';
import { HttpError, notFound } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { buildOf, noteBuild, projectOf } from '../../core/records/projects.ts';
import { checkOrder, isPlain } from './index-options.ts';
import type { MapsState } from './state.ts';

/** Share of the work that lies before a stage, in percent; embedding is most of it. */
const before: Record<Stage, number> = { Waiting: 0, Embedding: 0, Indexing: 80, Projecting: 82, Labeling: 98, Completed: 100, Failed: 0 };

/** Of an update only what it adds counts. */
const percent = ({ index_id, stage, rows, embedded, kept }: IndexRow): number =>
  before[stage] +
  (stage === 'Projecting' ? Math.floor(placedShare(index_id) * (before.Labeling - before.Projecting)) : 0) +
  (stage === 'Embedding' && rows > kept ? Math.floor(((embedded - kept) / (rows - kept)) * (before.Indexing - before.Embedding)) : 0);

const updateAnswers: Record<ReadingOf<'update-answer'>, () => unknown> = {
  result: () => ({ result: 'ok' }),
  object: () => ({}),
  empty: () => new Response(null, { status: 200 }),
  word: () => new Response('OK', { status: 200, headers: { 'content-type': 'text/plain' } }),
};

const subjectOf = (projectId: string, indexName: string | null): string => `index/${projectId}/${indexName ?? ''}`;

export const createIndices = ({
  records,
  datasets,
  builds,
  blobs,
  updates,
  embedder,
  readings,
}: MapsState): Handlers<typeof maps>['indices'] => {
  return {
    async create(input, { userId, requestId }) {
      const { project_id, index_name = null, indexed_field, model, ...options } = input;
      const project = projectOf(records, userId, project_id);
      await datasets.use(project.id, async (dataset) => checkOrder(readings, await dataset.facts(), input));
      if (model !== null && isVisionModel(model)) await checkBlobs(datasets, project.id, await blobs.hashes(project.id));
      const random = isPlain(input);
      const reuse = input.reuse_atoms_and_embeddings_from ?? null;
      const ids = newIndexIds();
      noteBuild(records, project.id, ids);
      const forget = () => records.run('DELETE FROM builds WHERE index_id = ?', ids.index_id);
      try {
        const made = await datasets.use(project.id, (dataset) =>
          createIndex(
            dataset,
            ids,
            { index_name, indexed_field, model, random, reuse, options },
            embedder.dimensions,
            { moves: readings.of('deletion-version') === 'at-commit', sameName: readings.of('same-index-name') },
            {
              requestId,
              operation: 'maps.indices.create',
              subject: subjectOf(project.id, index_name),
              content: { project: project.id, index_name, indexed_field, model, options },
            },
          ),
        );
        if (made.index_id !== ids.index_id) {
          forget();
          return { job_id: made.job_id, projection_id: made.projection_id };
        }
      } catch (error) {
        forget();
        throw error;
      }
      builds.start(project.id, ids.index_id);
      return { job_id: ids.job_id, projection_id: ids.projection_id };
    },
    async update(input, { userId, requestId }) {
      const project = projectOf(records, userId, input.project_id);
      if (readings.of('update-operation') === 'gone') throw new HttpError(404, 'no such operation: POST /v1/project/update_indices');
      if (readings.of('update-start') === 'late') updates.beginLater(project.id, requestId, input.rebuild_topic_models);
      else await updates.begin(project.id, requestId, input.rebuild_topic_models);
      return updateAnswers[readings.of('update-answer')]();
    },
    async remove({ project_id, index_id }, { userId, requestId }) {
      const build = buildOf(records, userId, 'index_id', index_id);
      if (build.project_id !== project_id) throw notFound('index', index_id);
      await datasets.use(project_id, (dataset) =>
        removeIndex(dataset, index_id, (row) => ({
          requestId,
          operation: 'maps.indices.remove',
          subject: subjectOf(project_id, row?.index_name ?? null),
          content: { index: index_id },
        })),
      );
      return { result: 'ok' };
    },
    async job({ job_id }, { userId }) {
      const build = buildOf(records, userId, 'job_id', job_id);
      const index = await datasets.use(build.project_id, (dataset) => indexRow(dataset, build.index_id));
      const left = isBuilding(index) ? 1 : 0;
      const unembedded = index.model === null || !isBuilding(index) ? 0 : index.rows - index.embedded;
      return {
        id: job_id,
        index_id: index.index_id,
        job_start_timestamp: index.started_at ?? index.created_at,
        job_end_timestamp: index.ended_at,
        total_datums_remaining_to_atomize: 0,
        total_atoms_remaining_to_embed: unembedded,
        nearest_neighbor_indices_remaining_to_build: left,
        projections_remaining_to_build: left,
        topic_models_remaining_to_build: left * Number(wantedLabels(index).topics !== null),
        rebuild_topic_models: false,
      };
    },
    async status({ index_id }, { userId }) {
      const build = buildOf(records, userId, 'index_id', index_id);
      const index = await datasets.use(build.project_id, (dataset) => indexRow(dataset, index_id));
      const state = isBuilding(index)
        ? index.started_at === null
          ? 'initiated'
          : 'started'
        : index.stage === 'Failed'
          ? 'failed'
          : 'completed';
      const job = { job_type: 'index', state, creation_time: index.created_at, start_time: index.started_at, end_time: index.ended_at };
      return { index_id, status: state === 'started' ? 'initiated' : state, jobs: [job] };
    },
    async progress({ index_id }, { userId }) {
      const build = buildOf(records, userId, 'index_id', index_id);
      const index = await datasets.use(build.project_id, (dataset) => indexRow(dataset, index_id));
      // Only its jobs say so: the stage stands still.
      const silent = index.stage === 'Failed' && readings.of('failed-build') === 'silent';
      return {
        result: silent ? before.Embedding : percent(index),
        job_start_timestamp: index.started_at,
        job_end_timestamp: silent ? null : index.ended_at,
        index_build_stage: silent ? 'Embedding' : index.stage,
      };
    },
  };
};
