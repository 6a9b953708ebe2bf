import { ServiceFailed } from '../../errors/classes.ts';
import type { definition } from '../../pipelines/steps/index/update.ts';
import type { ActivityOf } from '../frame/activity-of.ts';
import { buildPause, buildProgress } from './progress.ts';
import { updateIndices } from './update-indices.ts';

type Token = { updated: boolean; since: number };

const activity: ActivityOf<typeof definition> = {
  async start({ dataset }, context) {
    const updated = await updateIndices(context, dataset);
    return { done: false, token: { updated, since: Date.now() } satisfies Token };
  },

  async check({ dataset }, token: Token, context) {
    const project = await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
    const open = project.atlas_indices.find(({ projections }) => projections.some(({ ready }) => !ready));
    const failed = project.maps.find(({ error }) => error);
    if (failed) throw new ServiceFailed(`the service could not update map ${failed.projection_id}: ${failed.error}`);
    if (open && project.insert_update_delete_lock) {
      const { index_build_stage, result } = await context.maps.indices.progress({ index_id: open.id }, { signal: context.signal });
      const progress = buildProgress(project.total_datums_in_project, result, index_build_stage);
      return { done: false, token, againMs: buildPause(Date.now() - token.since, result), progress };
    }
    return {
      done: true,
      output: {
        dataset: project.id,
        updated: token.updated,
        rows: project.total_datums_in_project,
        maps: project.maps.map(({ projection_id }) => projection_id),
      },
    };
  },
};
export default activity;
