import type { ResourceKind } from '../../../contracts/maps/resources.ts';
import { clusters, densityClusters, duplicates, keywords, topicPositions } from './make-groups.ts';
import { mapCheckpoint } from './make-map.ts';
import { openGraphImage } from './make-picture.ts';
import { derivedPlaces, pcaPlaces, quadtree, randomPlaces, svdPlaces, tsnePlaces, umapPlaces } from './make-places.ts';
import { clusterSidecar, dataSidecar, description, embeddingSidecar } from './make-sidecars.ts';
import { checkpoint, embeddingSet, graph, inferredSet } from './make-vectors.ts';
import type { Made, Making } from './making.ts';

/** How each kind is made; `kinds` says of the others why they are not. */
export const makers: Readonly<Partial<Record<ResourceKind, (making: Making) => Promise<Made>>>> = {
  DATASET_CHECKPOINT: checkpoint,
  EMBEDDING_SET: embeddingSet,
  EMBEDDING_SET_INFERRED: inferredSet,
  HNSW_INDEX: graph,
  EMBEDDING_DERIVED_2D_COORDINATE_SET: derivedPlaces,
  RANDOM_COORDINATE_SET: randomPlaces,
  UMAP_COORDINATE_SET: umapPlaces,
  TSNE_COORDINATE_SET: tsnePlaces,
  SVD_COORDINATE_SET: svdPlaces,
  PCA_COORDINATE_SET: pcaPlaces,
  CLUSTER_ASSIGNMENT: clusters,
  HDBSCAN_CLUSTER_ASSIGNMENT: densityClusters,
  CHECKPOINT_DESCRIPTION: description,
  QUADTREE: quadtree,
  DUPLICATES: duplicates,
  KEYWORDS_TOPIC_LABEL: keywords,
  TOPIC_LABEL_POSITIONS: topicPositions,
  EMBEDDING_SIDECAR: embeddingSidecar,
  SIDECAR_FROM_DATA_TABLE: dataSidecar,
  CLUSTER_SIDECAR: clusterSidecar,
  MAP_CHECKPOINT: mapCheckpoint,
  OPENGRAPH_IMAGE: openGraphImage,
};
