import { randomUUID } from 'node:crypto';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import type { maps } from '../../../contracts/maps/index.ts';
import { isoTime } from '../../core/clock.ts';
import { HttpError, invalid, noKey, notAuthorized, notFound } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { isMember } from '../../core/records/organizations.ts';
import { projectOf, projectRecord } from '../../core/records/projects.ts';
import type { ProjectRow } from '../../core/records/projects.ts';
import { freeSlug, slugOf } from '../../core/records/slugs.ts';
import { readPictures } from '../../engine/resources/store.ts';
import { projectView } from './project-view.ts';
import { createLateCounts } from './late-counts.ts';
import type { MapsState } from './state.ts';

const subjectOf = ({ owner, project_name }: Pick<ProjectRow, 'owner' | 'project_name'>): string => `project/${owner}/${project_name}`;

/**
 * Who may read a dataset, which two fields of an input say (assumption: it is public exactly where its privacy is): what one of them says
 * holds for both; 422 where they contradict each other.
 */
function visibilityOf(
  { is_public, privacy }: { is_public?: boolean | null | undefined; privacy?: string | null | undefined },
  before: string,
): Pick<ProjectRow, 'is_public' | 'privacy'> {
  if (privacy && typeof is_public === 'boolean' && is_public !== (privacy === 'public'))
    throw invalid('privacy', `is '${privacy}' where is_public is ${is_public}: leave one of them out, or let both say the same`);
  const kept = before === 'public' && is_public === false ? 'private' : before;
  const said = privacy ?? (is_public ? 'public' : kept);
  return { privacy: said, is_public: Number(said === 'public') };
}

/** Datasets of a list that is a first page. */
const firstPage = 3;

const unknownSlug = (reading: ReadingOf<'unknown-slug'>, slug: string): HttpError =>
  reading === 'not-found'
    ? notFound('project', slug)
    : reading === 'bad-request'
      ? new HttpError(400, `no project ${slug}`)
      : notAuthorized();

export const createProjects = ({ records, datasets, removals, readings }: MapsState): Handlers<typeof maps>['projects'] => {
  const counts = createLateCounts();
  const view = async (record: ProjectRow, userId: string) => {
    const { facts, pictures } = await datasets.use(record.id, (dataset) =>
      dataset.read(async (connection, factsHere) => ({ facts: await factsHere(), pictures: await readPictures(connection) })),
    );
    const rows = readings.of('counts') === 'late' ? counts.report(record.id, facts.rows) : facts.rows;
    return projectView(records, record, { ...facts, rows }, readings, isMember(records, userId, record.owner), pictures);
  };
  const isTaken =
    (owner: string, except: string) =>
    (slug: string): boolean =>
      records.get(
        'SELECT 1 AS taken FROM projects WHERE owner = ? AND slug = ? AND (removed_at IS NULL OR ?) AND id <> ?',
        owner,
        slug,
        Number(readings.of('removed-slug') === 'held'),
        except,
      ) !== undefined;

  return {
    create(input, { userId, requestId }) {
      const { organization_id, project_name } = input;
      if (!isMember(records, userId, organization_id)) throw notAuthorized();
      // False is also what is not said.
      const { is_public, privacy } = visibilityOf({ privacy: input.privacy, is_public: input.is_public || null }, 'private');
      const entry = {
        requestId,
        operation: 'maps.projects.create',
        subject: subjectOf({ owner: organization_id, project_name }),
        content: { organization_id, project_name },
      };
      return records.effect(entry, () => {
        const id = randomUUID();
        const slug = freeSlug(slugOf(input.slug ?? project_name), isTaken(organization_id, id));
        records.run(
          'INSERT INTO projects (id, owner, creator, project_name, slug, description, is_public, is_public_to_org, privacy, unique_id_field, modality, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
          id,
          organization_id,
          userId,
          project_name,
          slug,
          input.description,
          is_public,
          Number(input.is_public_to_org ?? false),
          privacy,
          input.unique_id_field ?? null,
          input.modality ?? null,
          isoTime(),
        );
        return { changed: 1, value: { project_id: id, slug } };
      });
    },
    get: ({ project_id }, { userId }) => view(projectOf(records, userId, project_id, 'read'), userId),
    bySlug({ organization_slug, project_slug }, { userId }) {
      const record = records.get<{ id: string }>(
        'SELECT projects.id FROM projects JOIN organizations ON organizations.id = owner WHERE organizations.slug = ? AND projects.slug = ? AND removed_at IS NULL',
        organization_slug,
        project_slug,
      );
      if (!record) throw userId === '' ? noKey() : unknownSlug(readings.of('unknown-slug'), `${organization_slug}/${project_slug}`);
      return view(projectOf(records, userId, record.id, 'read'), userId);
    },
    list: (_, { userId }) => ({
      projects: records.all<{ id: string; project_name: string; slug: string }>(
        'SELECT id, project_name, slug FROM projects WHERE removed_at IS NULL AND owner IN (SELECT organization_id FROM memberships WHERE user_id = ?) ORDER BY created_at, rowid LIMIT ?',
        userId,
        readings.of('project-list') === 'first-page' ? firstPage : -1,
      ),
    }),
    update(input, { userId, requestId }) {
      if (input.id !== input.project_id) throw invalid('id', 'differs from project_id in the query; send both equal');
      const record = projectOf(records, userId, input.id);
      const slug = input.slug ? slugOf(input.slug) : record.slug;
      if (isTaken(record.owner, record.id)(slug)) throw new HttpError(409, `slug is taken: ${slug}`);
      const changes = {
        project_name: input.project_name ?? record.project_name,
        description: input.description ?? record.description,
        slug,
        ...visibilityOf(input, record.privacy),
        is_public_to_org: Number(input.is_public_to_org ?? record.is_public_to_org),
      };
      const { requestId: _, ...content } = { requestId, ...input };
      // Setting other values between two equal settings is another act, so that A, B, A counts as three changes.
      return records.effect(
        { requestId, operation: 'maps.projects.update', subject: `project/${record.id}`, act: JSON.stringify(changes), content },
        () => {
          const names = Object.keys(changes) as (keyof typeof changes)[];
          const changed = names.filter((name) => changes[name] !== record[name]).length;
          if (changed > 0)
            records.run(
              `UPDATE projects SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
              ...names.map((name) => changes[name]),
              record.id,
            );
          return { changed, value: { result: 'ok' as const } };
        },
      );
    },
    async remove({ project_id }, { userId, requestId }) {
      const record = projectRecord(records, userId, project_id);
      if (record.removed_at !== null && readings.of('second-removal') === 'not-found') throw notFound('project', project_id);
      const answer = records.effect(
        { requestId, operation: 'maps.projects.remove', subject: subjectOf(record), content: { project: project_id } },
        () => ({
          changed: records.run('UPDATE projects SET removed_at = ? WHERE id = ? AND removed_at IS NULL', isoTime(), project_id),
          value: { result: 'ok' as const },
        }),
      );
      // What is left of others goes in the background (maps text, project/remove).
      removals.resume();
      await removals.finish(project_id);
      return answer;
    },
  };
};
