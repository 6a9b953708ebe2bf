import { hdbscan } from '../algorithms/hdbscan.ts';
import { measuredGraph } from '../algorithms/hnsw.ts';
import { pca, svd, umap } from '../algorithms/places.ts';
import { tsne } from '../algorithms/tsne.ts';
import { duplicatesOf } from '../labels/duplicates.ts';
import { fitTopics, leavesOf, middlesOf } from '../labels/topics.ts';
import { nameTopics } from '../labels/names.ts';
import { modelOfPlaces } from '../projection/near.ts';
import { mapPicture } from '../resources/picture.ts';

/** What is computed in a thread, by name. */
export const computations = {
  duplicatesOf,
  fitTopics,
  leavesOf,
  middlesOf,
  nameTopics,
  pca,
  svd,
  umap,
  tsne,
  hdbscan,
  measuredGraph,
  modelOfPlaces,
  mapPicture,
};

export type Computation = keyof typeof computations;
export type Given<N extends Computation> = Parameters<(typeof computations)[N]>;
export type Result<N extends Computation> = ReturnType<(typeof computations)[N]>;
