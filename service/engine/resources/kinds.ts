import type { ResourceKind } from '../../../contracts/maps/resources.ts';

/** What one resource gives those that stand on it. */
export type Role = 'rows' | 'vectors' | 'places' | 'groups' | 'topics' | 'tree';

type Kind = {
  /** What it must stand on, near or far. Of one list of several any. */
  needs: readonly (Role | readonly Role[])[];
  gives?: Role;
  /** Why the local service has none. */
  unbuilt?: string;
};

const vectors = { needs: ['vectors'], gives: 'places' } as const satisfies Kind;
const hosted = 'the projection of the hosted service is not public: ask for UMAP_COORDINATE_SET or PCA_COORDINATE_SET';

/** What each kind stands on, and what it gives (assumption: the text says no more than "in dependency order"). */
export const kinds: Readonly<Record<ResourceKind, Kind>> = {
  DATASET_CHECKPOINT: { needs: [], gives: 'rows' },
  EMBEDDING_SET: { needs: ['rows'], gives: 'vectors' },
  EMBEDDING_SET_INFERRED: { needs: ['rows'], gives: 'vectors' },
  HNSW_INDEX: { needs: ['vectors'] },
  EMBEDDING_DERIVED_2D_COORDINATE_SET: vectors,
  RANDOM_COORDINATE_SET: { needs: ['rows'], gives: 'places' },
  UMAP_COORDINATE_SET: vectors,
  TSNE_COORDINATE_SET: vectors,
  SVD_COORDINATE_SET: vectors,
  PCA_COORDINATE_SET: vectors,
  NPV1_COORDINATE_SET: { ...vectors, unbuilt: hosted },
  NPV2_COORDINATE_SET: { ...vectors, unbuilt: hosted },
  CLUSTER_ASSIGNMENT: { needs: [['places', 'vectors']], gives: 'groups' },
  HDBSCAN_CLUSTER_ASSIGNMENT: { needs: [['places', 'vectors']], gives: 'groups' },
  CHECKPOINT_DESCRIPTION: { needs: ['rows'] },
  QUADTREE: { needs: ['places'], gives: 'tree' },
  DUPLICATES: { needs: ['vectors'] },
  KEYWORDS_TOPIC_LABEL: { needs: ['groups'], gives: 'topics' },
  LLM_TOPIC_LABEL: {
    needs: ['groups'],
    gives: 'topics',
    unbuilt: 'no language model is part of the local service: ask for KEYWORDS_TOPIC_LABEL',
  },
  TOPIC_LABEL_POSITIONS: { needs: ['topics', 'places'] },
  MAP_CHECKPOINT: { needs: ['tree'] },
  SIDECAR_FROM_PARQUET: {
    needs: ['tree'],
    unbuilt: 'the request names no file that the local service could read: ask for SIDECAR_FROM_DATA_TABLE',
  },
  EMBEDDING_SIDECAR: { needs: ['vectors', 'tree'] },
  SIDECAR_FROM_DATA_TABLE: { needs: ['rows', 'tree'] },
  CLUSTER_SIDECAR: { needs: ['groups', 'tree'] },
  OPENGRAPH_IMAGE: { needs: [] },
};
