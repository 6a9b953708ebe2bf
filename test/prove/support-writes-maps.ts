import { Bool, Field, List } from 'apache-arrow';
import { arrowFile } from '../service/world.ts';
import { taggedRows } from '../support/tagged-rows.ts';
import { forEver, share, whole } from './support-found.ts';
import { random, unlocked } from './support-random-maps.ts';
import type { OwnService } from './support-service.ts';
import { each } from './support-writes-keys.ts';
import type { Writer } from './support-writes.ts';

const everyPoint = JSON.stringify({ method: 'composition', conjunctor: 'ALL', filters: [] });

const points = 40;

/** A map that nothing else changes, tags of it, and datasets without resources. */
export async function prepareMaps(service: OwnService, project: (rows?: number) => Promise<string>) {
  const { api } = service;
  const project_id = await project(points);
  const { projection_id } = await api.indices.create(random(project_id, 'tagged'));
  await unlocked(service, project_id);
  const tag = async (tag_name: string): Promise<string> => {
    const { tag_id } = await api.mapTags.create({
      project_id,
      projection_id: projection_id!,
      tag_name,
      tag_definition_id: tag_name,
      dsl_rule: everyPoint,
    });
    return tag_id;
  };
  const made = [];
  for (let at = 0; at < each; at++)
    made.push({
      renamed: await tag(`renamed-${at}`),
      removed: await tag(`removed-${at}`),
      masked: await tag(`masked-${at}`),
      ruled: await tag(`ruled-${at}`),
      derived: await project(10),
    });
  return { project_id, projection_id: projection_id!, made };
}

/** Writers of tags with a rule, and of resources. */
export function mapWriters(
  service: OwnService,
  { project_id, projection_id, made }: Awaited<ReturnType<typeof prepareMaps>>,
  { write }: Writer,
): (() => Promise<void>)[] {
  const { api } = service;
  const tags = async () => api.mapTags.list({ project_id, projection_id });
  const pointsOf = async (name: string): Promise<number> => (await taggedRows(service.url, projection_id))[name]?.length ?? 0;

  return [
    forEver(async (at) => {
      const { renamed, removed } = made[at]!;
      const tag = { project_id, projection_id, tag_name: `made-${at}`, tag_definition_id: `made-${at}`, dsl_rule: everyPoint };
      await write(
        'maps.mapTags.create',
        (options) => api.mapTags.create(tag, options),
        async () => whole((await tags()).some(({ tag_name }) => tag_name === `made-${at}`)),
      );
      await write(
        'maps.mapTags.update',
        (options) =>
          api.mapTags.update({ tag_id: renamed, tag_name: `new-${at}`, tag_definition_id: `new-${at}`, dsl_rule: everyPoint }, options),
        async () => {
          const { tag_name, tag_definition_id } = await api.mapTags.get({ tag_id: renamed });
          return share(Number(tag_name === `new-${at}`) + Number(tag_definition_id === `new-${at}`), 2);
        },
      );
      await write(
        'maps.mapTags.remove',
        (options) => api.mapTags.remove({ project_id, tag_id: removed }, options),
        async () => whole((await tags()).every(({ tag_id }) => tag_id !== removed)),
      );
    }, each),
    forEver(async (at) => {
      const { masked, ruled, derived } = made[at]!;
      await write(
        'maps.mapTags.mask',
        (options) => api.mapTags.mask({ body: maskOf(project_id, { tag: masked, definition: `masked-${at}` }) }, options),
        async () => share(await pointsOf(`masked-${at}`), points),
      );
      await write(
        'maps.mapTags.robotag',
        (options) => api.mapTags.robotag({ project_id, tag_id: ruled }, options),
        async () => share(await pointsOf(`ruled-${at}`), points),
      );
      const checkpoint = { resource_type: 'DATASET_CHECKPOINT' as const, dataset_id: derived };
      await write(
        'maps.resources.create',
        (options) =>
          api.resources.create(
            {
              project_id: derived,
              resources: [
                { ...checkpoint, ref: 'one' },
                { ...checkpoint, ref: 'two' },
              ],
            },
            options,
          ),
        async () => share((await api.resources.list({ project_id: derived })).length, 2),
      );
    }, each),
  ];
}

/** Every point has the tag, as a viewer says it. */
function maskOf(project_id: string, { tag, definition }: { tag: string; definition: string }): Uint8Array {
  const metadata = { project_id, tag_id: tag, tag_definition_id: definition, complete: 'true' };
  const type = new List(new Field('item', new Bool(), true));
  return arrowFile(metadata, { bitmask: { type, values: [Array.from({ length: points }, () => true)] } });
}
