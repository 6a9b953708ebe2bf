import type { ResourceKind } from '../../../contracts/maps/resources.ts';
import { fieldsOf, rowsOf, Unmakeable, type Making } from './making.ts';
import type { Resource } from './store.ts';

/** What a map is made of, among all that it stands on. */
export type MapParts = {
  tree: Resource;
  places: Resource;
  /** What its points are searched by, and what later points find their places and groups by. */
  vectors?: Resource;
  /** Groups of its points, and their names where they have some. */
  groups?: Resource;
  names?: Resource;
  duplicates?: Resource;
  /** The columns that its tiles have; null: all. */
  columns: string[] | null;
};

/** A map has one of each: which of several is meant nobody could say. */
const only = ({ standsOn }: Making, what: string, ...of: ResourceKind[]): Resource | undefined => {
  const [first, second] = standsOn(...of);
  if (second) throw new Unmakeable(`a map has ${what}, and this one stands on ${first!.id} and ${second.id}`);
  return first;
};

/** The vectors that are named beside the tree, or those that its places were made of, or the nearest. */
const vectorsOfMap = ({ resource, standsOn, nearestOf }: Making, tree: Resource): Resource | undefined => {
  const direct = standsOn('EMBEDDING_SET', 'EMBEDDING_SET_INFERRED').filter(({ id }) => resource.upstream.includes(id));
  if (direct.length > 1)
    throw new Unmakeable(`a map is searched by one set of vectors, and this one names ${direct.map(({ id }) => id).join(' and ')}`);
  return direct[0] ?? nearestOf(tree, 'vectors') ?? nearestOf(resource, 'vectors');
};

const nameOf = ({ kind, id }: Resource): string => `the ${kind} ${id}`;

/** Rows of one part stand at the places of the same rows of another. */
const checkRows = async (making: Making, tree: Resource, parts: readonly Resource[]): Promise<void> => {
  const rows = await rowsOf(making, tree);
  for (const part of parts) {
    const others = await rowsOf(making, part);
    if (others.length !== rows.length || others.some((row, at) => row !== rows[at]))
      throw new Unmakeable(`${nameOf(part)} was made of other rows than those of the map`);
  }
};

/** Columns of the checkpoint of the tree, and those that a sidecar adds; null where that is every one. */
const columnsOf = ({ facts, standsOn, nearestOf }: Making, tree: Resource): string[] | null => {
  const named = new Set([
    ...fieldsOf(nearestOf(tree, 'rows')!),
    ...standsOn('SIDECAR_FROM_DATA_TABLE').flatMap(({ params }) => params['column_names'] as string[]),
  ]);
  const scalars = facts.columns.filter(({ type }) => type !== 'vector');
  return scalars.every(({ name }) => named.has(name)) ? null : [...named];
};

/** Finds what belongs to a map; fails where two of a kind do, or where one was made of other rows, vectors or places than the map. */
export const mapParts = async (making: Making): Promise<MapParts> => {
  const tree = only(making, 'one QUADTREE', 'QUADTREE')!;
  const places = making.nearestOf(tree, 'places')!;
  const vectors = vectorsOfMap(making, tree);
  const groups = only(making, 'the groups of one assignment', 'CLUSTER_ASSIGNMENT', 'HDBSCAN_CLUSTER_ASSIGNMENT');
  const names = only(making, 'one set of topics', 'KEYWORDS_TOPIC_LABEL');
  const duplicates = only(making, 'one set of duplicates', 'DUPLICATES');
  if (groups && !vectors)
    throw new Unmakeable(
      'later points of a map find their groups by vectors, and this one has none: name a set of them among its dependencies',
    );
  for (const part of making.standsOn('DUPLICATES', 'EMBEDDING_SIDECAR'))
    if (making.nearestOf(part, 'vectors')!.id !== vectors!.id)
      throw new Unmakeable(`${nameOf(part)} is of other vectors than those of the map`);
  for (const part of making.standsOn('TOPIC_LABEL_POSITIONS'))
    if (making.nearestOf(part, 'places')!.id !== places.id)
      throw new Unmakeable(`${nameOf(part)} is of other places than those of the map`);
  await checkRows(
    making,
    tree,
    [vectors, groups, duplicates].filter((part) => part !== undefined),
  );
  return {
    tree,
    places,
    ...(vectors ? { vectors } : {}),
    ...(groups ? { groups } : {}),
    ...(names ? { names } : {}),
    ...(duplicates ? { duplicates } : {}),
    columns: columnsOf(making, tree),
  };
};
