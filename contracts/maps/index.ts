import * as blobs from './blobs.ts';
import * as data from './data.ts';
import * as documents from './documents.ts';
import * as embedding from './embedding.ts';
import * as health from './health.ts';
import type { ServiceContract } from '../service.ts';
import { defineProbe } from '../service.ts';
import { errors } from './errors.ts';
import * as identity from './identity.ts';
import * as indices from './indices.ts';
import * as keys from './keys.ts';
import * as mapTags from './map-tags.ts';
import * as members from './members.ts';
import * as neighbors from './neighbors.ts';
import * as organizations from './organizations.ts';
import * as projections from './projections.ts';
import * as projects from './projects.ts';
import * as query from './query.ts';
import * as resources from './resources.ts';
import * as tags from './tags.ts';
import * as tiles from './tiles.ts';
import * as uploads from './uploads.ts';
import * as usage from './usage.ts';
import * as user from './user.ts';

/** The maps API: every operation that Portolan knows, by resource. */
export const maps = {
  health: { get: health.get },
  user: { get: user.get, profile: user.profile },
  identity: { authorize: identity.authorize, token: identity.token, refresh: identity.refresh, logout: identity.logout },
  keys: { create: keys.create, list: keys.list, remove: keys.remove },
  organizations: { create: organizations.create, get: organizations.get, search: organizations.search, update: organizations.update },
  members: { add: members.add, update: members.update, remove: members.remove },
  usage: { period: usage.period, recent: usage.recent, withinLimit: usage.withinLimit },
  projects: {
    create: projects.create,
    get: projects.get,
    bySlug: projects.bySlug,
    list: projects.list,
    update: projects.update,
    remove: projects.remove,
  },
  data: {
    addArrow: data.addArrow,
    get: data.get,
    rows: data.rows,
    delete: data.deleteRows,
    lastModified: data.lastModified,
    datums: data.datums,
    atoms: data.atoms,
  },
  blobs: { add: blobs.add, get: blobs.get },
  indices: {
    create: indices.create,
    update: indices.update,
    remove: indices.remove,
    job: indices.job,
    progress: indices.progress,
    status: indices.status,
  },
  projections: { dataset: projections.dataset, get: projections.get },
  tiles: { schema: tiles.schema, manifest: tiles.manifest, get: tiles.get },
  resources: { list: resources.list, create: resources.create },
  uploads: { start: uploads.start, complete: uploads.complete },
  neighbors: {
    byId: neighbors.byId,
    byIdArrow: neighbors.byIdArrow,
    topics: neighbors.topics,
    byEmbedding: neighbors.byEmbedding,
    inTiles: neighbors.inTiles,
  },
  query: { select: query.select, topk: query.topk },
  tags: { update: tags.update },
  mapTags: {
    create: mapTags.create,
    get: mapTags.get,
    list: mapTags.list,
    status: mapTags.status,
    update: mapTags.update,
    remove: mapTags.remove,
    mask: mapTags.mask,
    robotag: mapTags.robotag,
  },
  embedding: { text: embedding.text, image: embedding.image },
  documents: {
    upload: documents.upload,
    parse: documents.parse,
    extract: documents.extract,
    status: documents.status,
    events: documents.events,
    cancel: documents.cancel,
  },
} as const;

export const mapsService = {
  title: 'maps API',
  api: maps,
  keyPrefix: 'nk-',
  prefix: '/v1/',
  errors,
  probe: defineProbe(user.get, {}, ({ name, nickname, sub }) => name ?? nickname ?? sub),
} as const satisfies ServiceContract;
