import { randomUUID } from 'node:crypto';
import type { maps } from '../../../contracts/maps/index.ts';
import { HttpError } from '../../core/errors.ts';
import { projectOf } from '../../core/records/projects.ts';
import { writeJournal } from '../../engine/datasets/dataset.ts';
import { planned } from '../../engine/resources/plan.ts';
import { insertResources, readResources, type Resource } from '../../engine/resources/store.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

const view = (dataset_id: string, { id, kind, upstream, status, params, result, error }: Resource) => ({
  type: kind,
  id,
  dataset_id,
  status,
  params,
  dependencies: upstream,
  result,
  error,
});

export const createResourceHandlers = ({ records, datasets, resources: building }: MapsState): Handlers<typeof maps>['resources'] => {
  const listed = (projectId: string) =>
    datasets.use(projectId, (dataset) =>
      dataset.read(async (connection) => (await readResources(connection)).map((each) => view(projectId, each))),
    );
  return {
    list: ({ project_id }, { userId }) => listed(projectOf(records, userId, project_id, 'read').id),
    async create({ project_id, resources }, { userId, requestId }) {
      const project = projectOf(records, userId, project_id);
      for (const [at, { dataset_id }] of resources.entries())
        if (dataset_id !== project.id)
          throw new HttpError(422, [
            { loc: ['body', at, 'dataset_id'], msg: 'is another dataset than that of the address', type: 'value_error' },
          ]);
      building.note(project.id);
      const made = await datasets.use(project.id, (dataset) =>
        dataset.write(async (connection) => {
          const nodes = planned(resources, await readResources(connection), randomUUID);
          const own = new Set(['resource_type', 'ref', 'dataset_id', 'dependencies']);
          const paramsOf = (asked: object) => Object.fromEntries(Object.entries(asked).filter(([name]) => !own.has(name)));
          await insertResources(
            connection,
            nodes.map((node, at) => ({ ...node, params: paramsOf(resources[at]!) })),
          );
          const entry = {
            requestId,
            operation: 'maps.resources.create',
            subject: `resources/${project.id}`,
            content: { resources: resources.map(({ ref, ...rest }) => ({ ref, ...rest })) },
          };
          await writeJournal(connection, entry, nodes.length);
          return nodes.map(({ id }) => id);
        }),
      );
      building.start(project.id);
      const all = await listed(project.id);
      return made.map((id) => all.find((each) => each.id === id)!);
    },
  };
};
