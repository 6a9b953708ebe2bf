import type { maps } from '../../../contracts/maps/index.ts';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import type { DatasetState } from '../../engine/datasets/dataset.ts';
import { isTextModel } from '../../engine/embedding/models.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import { createIndex, indexRow, newIndexIds, removeIndex, updateIndices } from '../../engine/datasets/indices.ts';
import { placedShare } from '../../engine/datasets/place.ts';
import { isBuilding } from '../../engine/datasets/schema.ts';
import type { IndexRow, Stage } from '../../engine/datasets/schema.ts';
import { HttpError, invalid, notFound } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { buildOf, projectOf } from '../../core/records/projects.ts';
import { createLateUpdates } from './late-updates.ts';
import type { MapsState } from './state.ts';

/** Share of the work that lies before a stage, in percent; embedding is most of it. */
const before: Record<Stage, number> = { Waiting: 0, Embedding: 0, Indexing: 80, Projecting: 82, Labeling: 98, Completed: 100, Failed: 0 };

/** Of an update only what it adds counts. */
const percent = ({ index_id, stage, rows, embedded, kept }: IndexRow): number =>
  before[stage] +
  (stage === 'Projecting' ? Math.floor(placedShare(index_id) * (before.Labeling - before.Projecting)) : 0) +
  (stage === 'Embedding' && rows > kept ? Math.floor(((embedded - kept) / (rows - kept)) * (before.Indexing - before.Embedding)) : 0);

const hyperparameters = (field: string, json: string | null | undefined): Record<string, unknown> => {
  if (json === null || json === undefined || json === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Refused below, as any other JSON that is not an object.
  }
  throw invalid(field, 'must be the text of a JSON object');
};

/** Names that the service does not have: 422 at once, or nothing where it finds out when it builds. */
const checkNames = (readings: ServiceReadings, model: string | null, { projection }: { projection: string | null }): void => {
  if (readings.of('names') === 'vendor') {
    if (model?.startsWith('svc-')) throw invalid('model', `unknown model ${JSON.stringify(model)}`);
    if (projection?.startsWith('Svc')) throw invalid('projection', `unknown projection ${JSON.stringify(projection)}`);
  }
  if (readings.of('model-check') === 'at-once' && model !== null && !isTextModel(model))
    throw invalid('model', `unknown model ${JSON.stringify(model)}, or none for text`);
};

/** 422 for fields, an index or a topic field that the dataset does not have. */
const checkFields = (
  { columns, indices }: DatasetState,
  options: {
    colorable_fields: string[];
    reuse_atoms_and_embeddings_from?: string | null | undefined;
    topic_model_hyperparameters?: string | null | undefined;
  },
): void => {
  const known = new Set(columns.map(({ name }) => name));
  const topic = hyperparameters('topic_model_hyperparameters', options.topic_model_hyperparameters)['community_description_target_field'];
  const wanted = [
    ...options.colorable_fields.map((name) => ({ field: 'colorable_fields', name })),
    ...(typeof topic === 'string' ? [{ field: 'topic_model_hyperparameters', name: topic }] : []),
  ];
  const missing = known.size > 0 ? wanted.find(({ name }) => !known.has(name)) : undefined;
  if (missing)
    throw invalid(
      missing.field,
      `${JSON.stringify(missing.name)} is not a column of this dataset; its columns are ${[...known].join(', ')}`,
    );
  const reused = options.reuse_atoms_and_embeddings_from;
  if (reused && !indices.some(({ index_id }) => index_id === reused))
    throw invalid('reuse_atoms_and_embeddings_from', `${reused} is not an index of this dataset`);
};

const updateAnswers: Record<ReadingOf<'update-answer'>, () => unknown> = {
  result: () => ({ result: 'ok' }),
  object: () => ({}),
  empty: () => new Response(null, { status: 200 }),
  word: () => new Response('OK', { status: 200, headers: { 'content-type': 'text/plain' } }),
};

const subjectOf = (projectId: string, indexName: string | null): string => `index/${projectId}/${indexName ?? ''}`;

export const createIndices = ({ records, datasets, builds, embedder, readings }: MapsState): Handlers<typeof maps>['indices'] => {
  const late = createLateUpdates();
  const moves = (): boolean => readings.of('deletion-version') === 'at-commit';
  return {
    async create({ project_id, index_name = null, indexed_field, model, ...options }, { userId, requestId }) {
      const project = projectOf(records, userId, project_id);
      for (const [field, value] of Object.entries(options))
        if (field.endsWith('hyperparameters')) hyperparameters(field, value as string | null | undefined);
      const random =
        model === null && hyperparameters('projection_hyperparameters', options.projection_hyperparameters)['model'] === 'random';
      checkNames(readings, model, options);
      await datasets.use(project.id, async (dataset) => checkFields(await dataset.facts(), options));
      const ids = newIndexIds();
      // Noted first: a build is found by its ids whatever dies next, and a note without its index builds nothing.
      records.run(
        'INSERT INTO builds (index_id, job_id, projection_id, project_id) VALUES (?, ?, ?, ?)',
        ids.index_id,
        ids.job_id,
        ids.projection_id,
        project.id,
      );
      try {
        await datasets.use(project.id, (dataset) =>
          createIndex(dataset, ids, { index_name, indexed_field, model, random, options }, embedder.dimensions, moves(), {
            requestId,
            operation: 'maps.indices.create',
            subject: subjectOf(project.id, index_name),
            content: { project: project.id, index_name, indexed_field, model, options },
          }),
        );
      } catch (error) {
        records.run('DELETE FROM builds WHERE index_id = ?', ids.index_id);
        throw error;
      }
      builds.start(project.id, ids.index_id);
      return { job_id: ids.job_id, projection_id: ids.projection_id };
    },
    async update({ project_id }, { userId, requestId }) {
      const project = projectOf(records, userId, project_id);
      if (readings.of('update-operation') === 'gone') throw new HttpError(404, 'no such operation: POST /v1/project/update_indices');
      const begin = (): Promise<void> =>
        builds.restart(project.id, () =>
          datasets.use(project.id, (dataset) =>
            updateIndices(dataset, moves(), (version) => ({
              requestId,
              operation: 'maps.indices.update',
              subject: `index/${project.id}/`,
              content: { project: project.id, ...version },
            })),
          ),
        );
      if (readings.of('update-start') === 'late') late.order(project.id, begin);
      else await begin();
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
        topic_models_remaining_to_build: 0,
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
