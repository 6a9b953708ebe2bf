import { MessageReader, tableFromIPC, type Field } from 'apache-arrow';
import { expect } from 'vitest';
import type { Api } from './world.ts';

/** Fields of one Arrow schema message. */
export const fieldsOf = (message: Uint8Array): Field[] => ([...new MessageReader(message)][0]!.header() as { fields: Field[] }).fields;

/** The columns of a map's tiles with their sidecars, in the order of `/schema`. */
export async function schemaOfMap(api: Api, map: string): Promise<[name: string, sidecar: string][]> {
  const { bytes, status } = await api.get(`/v1/project/projection/${map}/schema`);
  expect(status).toBe(200);
  return fieldsOf(bytes).map(({ name, metadata }) => [name, JSON.parse(metadata.get('sidecar_name')!) as string]);
}

/** The rows of a sidecar of the tile at the root. */
export async function sidecarOfRoot(api: Api, project: string, map: string, name: string): Promise<Record<string, unknown>[]> {
  const { bytes, status } = await api.get(`/v1/project/${project}/index/projection/${map}/quadtree/0/0/0.${name}.feather`);
  expect([name, status]).toEqual([name, 200]);
  return tableFromIPC(bytes)
    .toArray()
    .map((row) => (row as { toJSON(): Record<string, unknown> }).toJSON());
}
