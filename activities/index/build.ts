import { createHash } from 'node:crypto';
import { ApiError } from '../../client/errors.ts';
import type { z } from 'zod';
import { BadInput, Inconclusive, NotOffered, ServiceFailed } from '../../errors/classes.ts';
import type { definition } from '../../pipelines/steps/index/build.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { isConflict } from '../frame/conflict.ts';
import type { StepContext } from '../frame/context.ts';
import { checkExpectedRows } from '../dataset/expected-rows.ts';
import { covers, datasetNow, type DatasetNow, type Project } from '../../contracts/maps/coverage.ts';
import { askOf } from '../effects/lookup-of.ts';
import { deletionsOf, settleDeletions, type Deletions } from './deletions.ts';
import { followUpdate } from './follow-update.ts';
import { orderUpdate, type UpdateOrder } from './order-update.ts';
import { buildPause, buildProgress } from './progress.ts';
import { isOpen, sendOnce, wasBegun, wasMadeSince } from '../effects/send-once.ts';

/** `order`: of the update, where the map was there. `deleted`: lists of ids whose deletion was noted before; it commits these. */
type Token = { index: string; built: boolean; order: UpdateOrder | null; since: number; points: number; deleted: string[] };
type Input = z.output<(typeof definition)['input']>;

/** The order was answered with its job, or found as its index. */
type Built = { job: string } | { index: string };

/** The column of vectors that a dataset brings itself. */
const ownVectors = '_embeddings';

const ended = new Set(['Completed', 'Done']);

const activity: ActivityOf<typeof definition> = {
  async start(input, context) {
    const now = await datasetNow(input.dataset, askOf(context));
    const { project } = now;
    for (const field of ['embed', 'topics'] as const) {
      const column = input[field];
      if (column === undefined || project.project_fields.length === 0 || project.project_fields.includes(column)) continue;
      throw new BadInput(
        'bad_input',
        `${field}: '${column}' is not a column of ${project.slug}; it has ${project.project_fields.join(', ')}`,
      );
    }
    const deletions = await deletionsOf(context, input.dataset);
    const name = markedName(input, now, deletions);
    const begun = { since: Date.now(), points: project.total_datums_in_project, deleted: deletions.lists };
    const operation = 'maps.indices.create';
    const request = { project_id: input.dataset, index_name: name, ...named(context, optionsOf(input, project)) };
    // A further try orders anew, because what the one before had ordered came to nothing; where nobody knows what became of an order, that
    // one is looked up first.
    const tries = Array.from({ length: context.retry + 1 }, (_, retry) => ({ operation, input: { ...request, retry } }));
    const call = tries.find((each) => isOpen(context, each)) ?? tries.at(-1)!;
    // Once this step has begun to build it, a map of that mark is its own.
    const known = wasBegun(context, call) ? undefined : project.atlas_indices.find((each) => each.index_name === name);
    if (known) {
      const built = tries.some((each) => wasMadeSince(context, each, known.id));
      const stale = built
        ? (await stateOf(context, input.dataset, known.id)).trouble !== undefined
        : input.onChange === 'update' && (deletions.open || !covers(known, now));
      const order = stale ? await orderUpdate(context, input.dataset) : null;
      return { done: false, token: { index: known.id, built, order, ...begun } satisfies Token };
    }

    const ofName = async (): Promise<Project['atlas_indices'][number] | undefined> =>
      (await context.maps.projects.get({ project_id: input.dataset }, { signal: context.signal })).atlas_indices.find(
        (each) => each.index_name === name,
      );
    const { value } = await sendOnce<Built>(context, {
      ...call,
      lookup: {
        async find() {
          const found = await ofName();
          return found ? { answer: { index: found.id } } : 'absent';
        },
      },
      async send() {
        try {
          const { job_id } = await context.maps.indices.create(request, { signal: context.signal });
          return { job: job_id };
        } catch (error) {
          // A service may refuse a second map of a name: then one of this mark was made since, by this order or by that of another run.
          const twin = isConflict(error) ? await ofName() : undefined;
          if (!twin) throw error;
          return { index: twin.id };
        }
      },
    }).catch(whyNotBuilt(input));
    const index =
      'index' in value ? value.index : (await context.maps.indices.job({ job_id: value.job }, { signal: context.signal })).index_id;
    return { done: false, token: { index, built: true, order: null, ...begun } satisfies Token };
  },

  async check(input, token: Token, context) {
    const update = token.order && (await followUpdate(context, token.order));
    if (update && !update.ended) return { done: false, token, againMs: update.againMs, progress: update.progress };
    const state = await stateOf(context, input.dataset, token.index);
    const { stage, percent, project, index, projection, view } = state;
    const elapsed = Date.now() - token.since;
    const trouble = state.trouble ?? (await failureOf(context, token.index, elapsed));
    if (trouble) throw new ServiceFailed(`the service could not build the map: ${trouble}`);
    if (!(stage && ended.has(stage)) && !projection?.ready) {
      const progress = buildProgress(token.points, percent, stage ?? 'building');
      return { done: false, token, againMs: buildPause(elapsed, percent), progress };
    }
    if (!index || !projection) throw new ServiceFailed(`index ${token.index} was built but has no map`);
    if (token.built) {
      checkSingle(project, index);
      await settleDeletions(context, input.dataset, token.deleted);
    }
    await checkExpectedRows(context, input.dataset);
    return {
      done: true,
      output: {
        id: projection.id,
        index: index.id,
        dataset: project.id,
        url: context.mapsUrl(`/maps/${projection.id}`),
        points: view?.total_data_points ?? project.total_datums_in_project,
        embedding: input.embed ?? null,
        built: token.built,
        updated: update?.changed ?? false,
      },
    };
  },
};
export default activity;

/** How far an index is, and why it could not be built where the service says so. */
async function stateOf(context: StepContext, dataset: string, index_id: string) {
  // In this order: of a build that ends between the two its map is seen.
  const { index_build_stage: stage, result } = await context.maps.indices.progress({ index_id }, { signal: context.signal });
  const project = await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
  const index = project.atlas_indices.find((each) => each.id === index_id);
  const projection = index?.projections[0];
  const view = project.maps.find((each) => each.projection_id === projection?.id);
  const trouble = view?.error ?? (stage === 'Failed' ? 'no reason given' : undefined);
  return { stage, percent: result ?? 0, project, index, projection, view, trouble };
}

/** Whether an index may be without a model is not said: where such an order is refused, the step needs vectors. */
const whyNotBuilt =
  ({ embed }: Input) =>
  (error: unknown): never => {
    if (embed === undefined && error instanceof ApiError && error.status === 422)
      throw new NotOffered(`the service builds no map without vectors (${error.message}). Name the column to \`embed\``);
    throw error;
  };

/** One map was ordered: a second one under its mark was made by a call that was delivered again, or by another run at the same time. */
function checkSingle({ atlas_indices }: Project, { index_name }: Project['atlas_indices'][number]): void {
  const same = atlas_indices.filter((each) => each.index_name === index_name);
  if (same.length > 1)
    throw new Inconclusive(
      `${same.length} maps of the same mark were made ('${index_name}': indices ${same.map(({ id }) => id).join(', ')}): something on the way to the service delivered the creation again, or another run made one meanwhile. Remove what is too much (maps.indices.remove), then run again`,
    );
}

/** A build that has gone on for so long is also asked for at the jobs: not every service puts a failure into the stage. */
const silentMs = 30_000;

/** Why a build that has not ended never will, as its jobs report; undefined where nothing is known. */
async function failureOf(context: StepContext, index_id: string, elapsedMs: number): Promise<string | undefined> {
  if (elapsedMs < silentMs) return undefined;
  try {
    const { status, jobs } = await context.maps.indices.status({ index_id }, { signal: context.signal });
    if (status !== 'failed') return undefined;
    const failed = jobs.find(({ state }) => state === 'failed');
    return `its job ${failed?.job_type ?? ''} failed, no reason given`;
  } catch (error) {
    // Outside the text: a service that does not know it says nothing about the build.
    if (error instanceof ApiError && [404, 405, 501].includes(error.status)) return undefined;
    throw error;
  }
}

/**
 * The index's name carries a mark of the options, and with `onChange: rebuild` of the data's version too. It is what a lost
 * answer is looked up by, and by which a later run knows that nothing has to be built.
 */
function markedName({ dataset, embed, topics, model, name, onChange }: Input, { changedAt }: DatasetNow, { version }: Deletions): string {
  // A deletion need not show in the time of the last change.
  const data = onChange === 'rebuild' ? [changedAt, version] : null;
  // Maps of before there were topics keep their mark.
  const mark = JSON.stringify([dataset, embed ?? null, model, data, ...(topics === undefined ? [] : [topics])]);
  return `${name} ${createHash('sha256').update(mark).digest('hex').slice(0, 12)}`;
}

/** The same with the names that the service of the connection has for models and projections. */
function named<T extends { model: string | null; projection: string | null }>({ connection }: StepContext, options: T): T {
  const { names } = connection('maps');
  const at = (name: string | null): string | null => (name === null ? null : (names[name] ?? name));
  return { ...options, model: at(options.model), projection: at(options.projection) };
}

/** Topics are named by the words of a column. */
const topicsBy = (column: string | undefined): string =>
  JSON.stringify({
    build_topic_model: column !== undefined,
    ...(column === undefined ? {} : { community_description_target_field: column }),
  });

function optionsOf(input: Input, project: Project) {
  const colorable_fields = project.project_fields.filter(
    (field) => field !== input.embed && field !== project.unique_id_field && !field.startsWith('_'),
  );
  if (input.embed === ownVectors) {
    return {
      indexed_field: null,
      model: null,
      nearest_neighbor_index: 'HNSWIndex',
      nearest_neighbor_index_hyperparameters: '{"space":"l2","ef_construction":100,"M":16}',
      projection: 'SvcProject',
      projection_hyperparameters: '{}',
      ...(input.topics === undefined ? {} : { topic_model_hyperparameters: topicsBy(input.topics) }),
      colorable_fields,
    };
  }
  if (input.embed === undefined) {
    return {
      indexed_field: null,
      model: null,
      nearest_neighbor_index: null,
      projection: 'SvcProject',
      projection_hyperparameters: '{"model":"random"}',
      colorable_fields,
    };
  }
  return {
    indexed_field: input.embed,
    model: input.model,
    model_hyperparameters: '{"dataset_buffer_size":1000,"batch_size":20,"polymerize_by":"charchunk","norm":"both"}',
    nearest_neighbor_index: 'HNSWIndex',
    nearest_neighbor_index_hyperparameters: '{"space":"l2","ef_construction":100,"M":16}',
    projection: 'SvcProject',
    projection_hyperparameters: '{}',
    topic_model_hyperparameters: topicsBy(input.topics),
    duplicate_detection_hyperparameters: '{"tag_duplicates":false,"duplicate_cutoff":0.1}',
    colorable_fields,
  };
}
