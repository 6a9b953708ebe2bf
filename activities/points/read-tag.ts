import { join } from 'node:path';
import { ApiError, ContractError } from '../../client/errors.ts';
import { tagBits, tileIds, tileKeys } from '../../child/tiles.ts';
import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import { BadInput } from '../../errors/classes.ts';
import { partName } from '../../store/part-name.ts';
import { writeIdPart } from '../../store/tag-lists.ts';
import { onMap, type TagOnMap } from '../../store/tag-seen.ts';
import type { StepContext } from '../frame/context.ts';
import { notYet } from '../frame/failure.ts';
import { mapFacts, type MapFacts } from './map-facts.ts';

type Read = { map: TagOnMap } | { unread: string };

/** Beside a tile: the ids of its points, by the name that public clients give it. */
const idSidecar = 'datum_id';
const bitsSidecar = (definition: string): string => `_tag.${definition}`;

/**
 * Which points of a map have a tag, as public viewers read it: from the files beside its tiles, one tile after the other into the folder.
 * `every`: also which have it not; otherwise tiles without the tag are left out. A service that does not offer these operations, which
 * are outside of the text, or answers something else, has not been read, and the step goes on without.
 */
export async function readTag(
  context: StepContext,
  { map, tag, ...facts }: Pick<MapFacts, 'dataset' | 'idField' | 'version'> & { map: string; tag: string },
  { into, every }: { into: string; every: boolean },
): Promise<Read> {
  // Ids that the service made itself stand in no file.
  if (facts.idField === automaticIdField) return { unread: 'the ids of its dataset are the service’s own' };
  const read = await readTiles(context, { ...facts, map, tag }, { into, every }).then(
    (folder) => ({ map: folder }),
    (error: unknown) => {
      if (isNotOffered(error)) return { unread: error.message };
      throw error;
    },
  );
  const isNowhere = 'map' in read && read.map === undefined;
  // Files of tiles from before and after an update do not belong together.
  if (!isNowhere && (await mapFacts(context, map)).version !== facts.version)
    throw notYet(1_000, 'the map was updated while it was read which points have the tag');
  return read;
}

/** A failure that would come again: of another kind are those that pass, such as a map that is being updated. */
const isNotOffered = (error: unknown): error is Error =>
  (error instanceof ApiError && !error.retryable) || error instanceof ContractError || error instanceof BadInput;

async function readTiles(
  context: StepContext,
  { map, tag, dataset, idField }: Pick<MapFacts, 'dataset' | 'idField'> & { map: string; tag: string },
  { into, every }: { into: string; every: boolean },
): Promise<TagOnMap> {
  const { signal, maps } = context;
  const of = { project_id: dataset, projection_id: map };
  const found = (await maps.mapTags.list({ ...of, include_dsl_rule: false }, { signal })).find(({ tag_name }) => tag_name === tag);
  if (!found) return undefined;
  const tiles = tileKeys(await maps.tiles.manifest(of, { signal }));
  for (const [at, key] of tiles.entries()) {
    const [z = '', x = '', y = ''] = key.split('/');
    const sidecar = (name: string): Promise<Uint8Array> => maps.tiles.get({ ...of, z, x, file: `${y}.${name}.feather` }, { signal });
    const bits = tagBits(await sidecar(bitsSidecar(found.tag_definition_id)));
    if (every || bits === true || (bits !== false && bits.includes(true))) {
      const ids = tileIds(await sidecar(idSidecar), idField);
      if (typeof bits !== 'boolean' && bits.length !== ids.length)
        throw new BadInput('bad_input', `tile ${key} has ${ids.length} points, and its tag says of ${bits.length} whether they have it`);
      for (const has of [true, false]) {
        const which = ids.filter((_, row) => (typeof bits === 'boolean' ? bits : bits[row]) === has);
        if (which.length > 0) await writeIdPart(join(onMap(into, has), partName(at)), which);
      }
    }
    context.progress({ done: at + 1, total: tiles.length, unit: 'tiles', note: `reading which points have '${tag}'` });
  }
  return into;
}
