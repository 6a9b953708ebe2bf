import type { instance } from '../../../contracts/instance/index.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import {
  artifactsOf,
  emptyContent,
  type LinkedArtifact,
  type VersionRow,
  type WorkflowContent,
  type WorkflowRow,
} from '../../engine/workflows/workflows.ts';
import type { Handlers } from '../../http/handlers.ts';
import { addsTo } from './adds-to.ts';
import { pageById } from './page-by-id.ts';
import type { InstanceState } from './state.ts';

/** Workflows of a page where no limit is named (text). */
const usual = 20;

/** What is given of a version, over what stands. */
const contentOf = (given: { [F in keyof WorkflowContent]?: WorkflowContent[F] | undefined }, before: WorkflowContent): WorkflowContent => ({
  instructionMarkdown: given.instructionMarkdown ?? before.instructionMarkdown,
  mode: given.mode ?? before.mode,
  model: given.model ?? before.model,
  requestedFiles: given.requestedFiles ?? before.requestedFiles,
  capabilities: given.capabilities ?? before.capabilities,
});

const artifactsIn = ({ artifacts }: VersionRow): LinkedArtifact[] => JSON.parse(artifacts) as LinkedArtifact[];
const contentIn = ({ content }: VersionRow): WorkflowContent => JSON.parse(content) as WorkflowContent;
const builderPathOf = (id: string): string => `/workflows/${id}/builder`;

const writtenView = (version: VersionRow, createdNewVersion: boolean) => ({
  id: version.workflow_id,
  versionId: version.id,
  version: version.version,
  createdNewVersion,
  linkedArtifacts: artifactsIn(version).map(({ id, name }) => ({ id, name })),
  builderPath: builderPathOf(version.workflow_id),
});

export const createWorkflowOperations = (state: InstanceState): Handlers<typeof instance>['workflows'] => {
  const { records, workflows, budgets } = state;
  return {
    list({ query = '', projectId = null, limit = usual, cursor }, { userId, organizationId }) {
      return pageById({ limit, cursor }, (behind, count) =>
        records.all<WorkflowRow>(
          // Not LIKE: what is asked for may hold its wildcards.
          `SELECT * FROM workflows WHERE organization_id = ? AND (user_id = ? OR (is_shared = 1 AND released_id IS NOT NULL))
         AND (instr(caseless(name), caseless(?)) > 0 OR instr(caseless(coalesce(description, '')), caseless(?)) > 0)
         AND project_id IS coalesce(?, project_id) AND id < ? ORDER BY id DESC LIMIT ?`,
          organizationId,
          userId,
          query,
          query,
          projectId,
          behind,
          count,
        ),
      )((row) => ({
        id: row.id,
        name: row.name,
        description: row.description,
        requestedFiles: [...contentIn(workflows.version(row.released_id ?? row.latest_id)).requestedFiles],
      }));
    },
    create({ name, description = null, metadata = {}, linkedArtifacts = [], projectId = null, ...content }, caller) {
      const { requestId, userId, organizationId } = caller;
      if (projectId !== null) addsTo(state, caller, projectId);
      const given = { name, description, metadata, linkedArtifacts, projectId, ...content };
      const subject = `workflow of ${userId}/${name}`;
      return records.effect({ requestId, operation: 'instance.workflows.create', subject, content: given }, () => {
        const row = { name, description, metadata: JSON.stringify(metadata), project_id: projectId };
        const made = workflows.add({ userId, organizationId }, row, contentOf(content, emptyContent), artifactsOf(linkedArtifacts, []));
        return { changed: 1, value: writtenView(workflows.version(made.latest_id), true) };
      });
    },
    get({ workflowId, versionId }, caller) {
      const row = workflows.editable(caller, workflowId);
      const version = workflows.versionOf(row, versionId ?? row.latest_id);
      if (!version) throw new HttpError(404, `version not found: ${versionId}`);
      const { requestedFiles, ...content } = contentIn(version);
      return {
        id: row.id,
        name: row.name,
        description: row.description,
        metadata: JSON.parse(row.metadata) as Record<string, unknown>,
        projectId: row.project_id,
        isPublic: false,
        isShared: row.is_shared === 1,
        isArchived: false,
        releasedVersionId: row.released_id,
        latestVersionId: row.latest_id,
        builderPath: builderPathOf(row.id),
        version: {
          id: version.id,
          version: version.version,
          isReleased: version.id === row.released_id,
          ...content,
          requestedFiles: [...requestedFiles],
          linkedArtifacts: artifactsIn(version),
          // Attached in the builder alone, which this service has not.
          contextFiles: [],
          tags: [],
        },
      };
    },
    update({ workflowId, baseVersionId, name, description, metadata, linkedArtifacts, ...content }, caller) {
      const row = workflows.editable(caller, workflowId);
      const base = workflows.versionOf(row, baseVersionId ?? row.latest_id);
      if (!base) throw invalid('baseVersionId', `${baseVersionId} is no version of workflow ${workflowId}`);
      const { requestId, userId } = caller;
      const given = { baseVersionId, name, description, metadata, linkedArtifacts, ...content };
      return records.effect(
        { requestId, operation: 'instance.workflows.update', subject: `workflow/${workflowId}`, content: given },
        () => {
          const renamed = workflows.rename(row, {
            name: name ?? row.name,
            description: description === undefined ? row.description : description,
            metadata: metadata === undefined ? row.metadata : JSON.stringify(metadata),
          });
          const artifacts = linkedArtifacts ? artifactsOf(linkedArtifacts, artifactsIn(base)) : artifactsIn(base);
          const edited = workflows.edit(row, base, userId, contentOf(content, contentIn(base)), artifacts);
          return {
            changed: Math.max(renamed, edited.changed),
            value: writtenView(workflows.version(edited.versionId), edited.createdNewVersion),
          };
        },
      );
    },
    versions({ workflowId }, caller) {
      const row = workflows.editable(caller, workflowId);
      return workflows.versions(row).map((version) => {
        const runs = workflows.runs(version.id);
        const totalCostUsd = budgets.costOf(runs) / 1e9;
        return {
          id: version.id,
          version: version.version,
          isReleased: version.id === row.released_id,
          createdAt: version.created_at,
          updatedAt: version.updated_at,
          changeNote: null,
          authorEmail: records.get<{ email: string }>('SELECT email FROM users WHERE id = ?', version.author_id)!.email,
          runCount: runs.length,
          averageCostUsd: runs.length === 0 ? null : totalCostUsd / runs.length,
          totalCostUsd,
        };
      });
    },
    release({ workflowId, versionId }, caller) {
      const row = workflows.editable(caller, workflowId);
      const version = workflows.versionOf(row, versionId);
      if (!version) throw new HttpError(404, `version not found: ${versionId}`);
      const { requestId } = caller;
      const subject = `release of workflow/${workflowId}`;
      return records.effect(
        { requestId, operation: 'instance.workflows.release', subject, content: { versionId }, act: versionId },
        () => ({
          changed: workflows.release(row, version),
          value: { id: workflowId, releasedVersionId: versionId, version: version.version, previousReleasedVersionId: row.released_id },
        }),
      );
    },
  };
};
