import { HttpError, noKey, notAuthorized, notFound } from '../errors.ts';
import type { Records } from './database.ts';
import { isMember } from './organizations.ts';

export type ProjectRow = {
  id: string;
  owner: string;
  creator: string;
  project_name: string;
  slug: string;
  description: string;
  is_public: number;
  is_public_to_org: number;
  privacy: string;
  unique_id_field: string | null;
  modality: string | null;
  created_at: string;
  removed_at: string | null;
};

export type BuildRow = { index_id: string; job_id: string; projection_id: string; project_id: string; ended: number };

/** 404; without a key 401, which does not say what there is. */
export const unknown = (userId: string, what: string, id: string): HttpError => (userId === '' ? noKey() : notFound(what, id));

/** What a caller wants of a project: members may do both, everybody may read what is public. */
export type Access = 'read' | 'write';

/** The project, removed or not; 404 where there is none, 403 where the caller may not, 401 where a caller without a key may not. */
export const projectRecord = (records: Records, userId: string, projectId: string, access: Access = 'write'): ProjectRow => {
  const project = records.get<ProjectRow>('SELECT * FROM projects WHERE id = ?', projectId);
  if (!project) throw unknown(userId, 'project', projectId);
  if ((access === 'read' && project.is_public === 1) || isMember(records, userId, project.owner)) return project;
  throw userId === '' ? noKey() : notAuthorized();
};

/** The project, which must still exist. */
export const projectOf = (records: Records, userId: string, projectId: string, access: Access = 'write'): ProjectRow => {
  const project = projectRecord(records, userId, projectId, access);
  if (project.removed_at !== null) throw notFound('project', projectId);
  return project;
};

/** Notes the ids of an index before it is there: it is found by them whatever dies next, and a note without its index builds nothing. */
export const noteBuild = (records: Records, projectId: string, ids: Pick<BuildRow, 'index_id' | 'job_id' | 'projection_id'>): void =>
  void records.run(
    'INSERT INTO builds (index_id, job_id, projection_id, project_id) VALUES (?, ?, ?, ?)',
    ids.index_id,
    ids.job_id,
    ids.projection_id,
    projectId,
  );

/** Which index, map and project an id of a job, an index or a map belongs to; 404 where it is unknown. */
export const buildOf = (
  records: Records,
  userId: string,
  kind: 'index_id' | 'job_id' | 'projection_id',
  id: string,
  access: Access = 'write',
): BuildRow => {
  const build = records.get<BuildRow>(`SELECT * FROM builds WHERE ${kind} = ?`, id);
  const what = { index_id: 'index', job_id: 'job', projection_id: 'map' }[kind];
  if (!build) throw unknown(userId, what, id);
  const project = projectRecord(records, userId, build.project_id, access);
  if (project.removed_at !== null) throw notFound(what, id);
  return build;
};
