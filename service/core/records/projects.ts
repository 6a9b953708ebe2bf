import { HttpError, notFound } from '../errors.ts';
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

/** The project, removed or not; 404 where there is none, 403 where the caller is no member of its organization. */
export const projectRecord = (records: Records, userId: string, projectId: string): ProjectRow => {
  const project = records.get<ProjectRow>('SELECT * FROM projects WHERE id = ?', projectId);
  if (!project) throw notFound('project', projectId);
  if (!isMember(records, userId, project.owner)) throw new HttpError(403, 'The user is not authorized to perform this action.');
  return project;
};

/** The project, which must still exist. */
export const projectOf = (records: Records, userId: string, projectId: string): ProjectRow => {
  const project = projectRecord(records, userId, projectId);
  if (project.removed_at !== null) throw notFound('project', projectId);
  return project;
};

/** Which index, map and project an id of a job, an index or a map belongs to; 404 where it is unknown. */
export const buildOf = (records: Records, userId: string, kind: 'index_id' | 'job_id' | 'projection_id', id: string): BuildRow => {
  const build = records.get<BuildRow>(`SELECT * FROM builds WHERE ${kind} = ?`, id);
  const what = { index_id: 'index', job_id: 'job', projection_id: 'map' }[kind];
  if (!build) throw notFound(what, id);
  const project = projectRecord(records, userId, build.project_id);
  if (project.removed_at !== null) throw notFound(what, id);
  return build;
};
