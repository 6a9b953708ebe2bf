import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import { createBlobHandlers } from './blobs.ts';
import { createData } from './data.ts';
import { createDocumentHandlers } from './documents.ts';
import { createEmbedding } from './embedding.ts';
import { createHealth } from './health.ts';
import { createIdentity } from './identity.ts';
import { createIndices } from './indices.ts';
import { createKeys } from './keys.ts';
import { createMapTags } from './map-tags.ts';
import { createMembers } from './members.ts';
import { createNeighbors } from './neighbors.ts';
import { createOrganizations } from './organizations.ts';
import { createProjections } from './projections.ts';
import { createProjects } from './projects.ts';
import { createQuery } from './query.ts';
import type { MapsState } from './state.ts';
import { createResourceHandlers } from './resources.ts';
import { createTags } from './tags.ts';
import { createTiles } from './tiles.ts';
import { createUploads } from './uploads.ts';
import { createUsage } from './usage.ts';
import { createUser } from './user.ts';

/** Every handler of the maps API. */
export const createMaps = (state: MapsState): Handlers<typeof maps> => ({
  health: createHealth(state),
  user: createUser(state),
  identity: createIdentity(state),
  keys: createKeys(state),
  organizations: createOrganizations(state),
  members: createMembers(state),
  usage: createUsage(state),
  projects: createProjects(state),
  projections: createProjections(state),
  data: createData(state),
  blobs: createBlobHandlers(state),
  indices: createIndices(state),
  resources: createResourceHandlers(state),
  uploads: createUploads(state),
  neighbors: createNeighbors(state),
  query: createQuery(state),
  tags: createTags(state),
  mapTags: createMapTags(state),
  tiles: createTiles(state),
  embedding: createEmbedding(state),
  documents: createDocumentHandlers(state),
});
