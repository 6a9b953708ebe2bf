import { endStatuses, exportedFrom, hasEnded } from '../../../contracts/instance/agent-shapes.ts';
import { analyticsScope } from '../../../contracts/instance/agents.ts';
import type { instance } from '../../../contracts/instance/index.ts';
import { HttpError, invalidParameter, notFound } from '../../core/errors.ts';
import { artifactOf } from '../../engine/agents/artifacts.ts';
import { exportSeconds, signedExport } from '../../engine/agents/exports/export-route.ts';
import { filenameOf, formatOf } from '../../engine/agents/exports/make-export.ts';
import { agentOf, messagesOf, type AgentRow } from '../../engine/agents/records.ts';
import { spendOf } from '../../engine/agents/spend.ts';
import type { CallContext, Handlers } from '../../http/handlers.ts';
import { detailOf, messageViews, summaryOf } from './agent-view.ts';
import { holds } from './access.ts';
import { administers } from '../../core/records/organizations.ts';
import { addsTo } from './adds-to.ts';
import type { InstanceState } from './state.ts';

/** Agents of a page where no limit is named (text). */
const usual = 20;

export const createAgentOperations = (state: InstanceState): Handlers<typeof instance>['agents'] => {
  const { records, clock, agents, files, signer, readings } = state;
  /** An agent of the caller; 404 for everyone else. */
  const own = (id: string, { userId, organizationId }: CallContext): AgentRow => {
    const row = agentOf(records, id);
    if (!row || row.user_id !== userId || row.organization_id !== organizationId) throw notFound('agent', id);
    return row;
  };
  /** The same for reading: administrators with an analytics key read those of their whole organization. */
  const readable = (id: string, caller: CallContext): AgentRow => {
    const row = agentOf(records, id);
    const reads = holds(caller.scopes, 'developer:agent');
    if (row && row.organization_id === caller.organizationId) {
      if (reads && row.user_id === caller.userId) return row;
      if (holds(caller.scopes, analyticsScope) && administers(records, caller)) return row;
    }
    throw notFound('agent', id);
  };
  const newestFirst = (): boolean => readings.of('agent-order') === 'newest';
  /** What an agent has not is null, or is left out. */
  const shown = <T extends object>(view: T): T =>
    readings.of('absent-values') === 'null' ? view : (Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null)) as T);
  const summary = (row: AgentRow) => shown(summaryOf(records, row));
  const detail = (row: AgentRow) => shown(detailOf(records, row));
  /** Has the caller deleted it? */
  const isDeleted = (id: string, { userId, organizationId }: CallContext): boolean =>
    records.get(
      'SELECT 1 AS gone FROM agents WHERE id = ? AND user_id = ? AND organization_id = ? AND deleted_at IS NOT NULL',
      id,
      userId,
      organizationId,
    ) !== undefined;
  /** Where a cursor stands in the list: also of an agent that is gone by now. */
  const placeOf = (cursor: string | undefined, userId: string): number => {
    if (cursor === undefined) return newestFirst() ? Number.MAX_SAFE_INTEGER : 0;
    const row = records.get<{ seq: number }>('SELECT seq FROM agents WHERE id = ? AND user_id = ?', cursor, userId);
    if (!row) throw invalidParameter('cursor', 'is no cursor of this list: send nextCursor of the page before');
    return row.seq;
  };
  return {
    list({ limit = usual, cursor, status = null, workflowId }, { userId, organizationId }) {
      const rows = records.all<AgentRow>(
        `SELECT * FROM agents WHERE user_id = ? AND organization_id = ? AND deleted_at IS NULL AND parent_id IS NULL AND status = coalesce(?, status)
         AND (? OR workflow_id IS ?) AND ${newestFirst() ? 'seq < ? ORDER BY seq DESC' : 'seq > ? ORDER BY seq'} LIMIT ?`,
        userId,
        organizationId,
        status,
        Number(workflowId === undefined),
        workflowId === undefined || workflowId === 'null' ? null : workflowId,
        placeOf(cursor, userId),
        limit + 1,
      );
      const page = rows.slice(0, limit);
      return { data: page.map(summary), nextCursor: rows.length > limit ? page.at(-1)!.id : null };
    },
    launch: (input, caller) => detail(agents.launch(input, caller)),
    get: ({ id }, caller) => detail(readable(id, caller)),
    async remove({ id }, caller) {
      if (readings.of('second-agent-deletion') === 'succeeds' && isDeleted(id, caller)) return { success: true };
      await agents.remove(own(id, caller), caller);
      return { success: true };
    },
    conversation({ id, include = [] }, caller) {
      const rows = messagesOf(records, readable(id, caller).id);
      return { id, messages: messageViews(rows, include.includes('steps')) };
    },
    usage: ({ id }, caller) => ({ id, spend: spendOf(records, readable(id, caller).id) }),
    artifact({ id, artifactId }, caller) {
      const row = artifactOf(records, own(id, caller).id, artifactId);
      if (!row) throw notFound('artifact', artifactId);
      const { name, type, version, content, created_at: createdAt } = row;
      return { id: artifactId, name, type, version, content: JSON.parse(content) as unknown, createdAt };
    },
    export({ id, artifactId, format, version, fileVersionId }, caller) {
      const row = artifactOf(records, own(id, caller).id, artifactId, version);
      if (!row) throw notFound(version === undefined ? 'artifact' : `version ${version} of artifact`, artifactId);
      if (exportedFrom[format] !== row.type) throw new HttpError(400, `${format} is no export of an artifact of the type ${row.type}`);
      const file = fileVersionId === undefined ? undefined : files.version(caller, fileVersionId)?.fileId;
      if (fileVersionId !== undefined && (file === undefined || !formatOf(format).cites(row.content, file)))
        throw invalidParameter('fileVersionId', 'is no version of a file that the artifact cites');
      formatOf(format).needs();
      const at = clock.now();
      const signed = signedExport({ artifactId, version: row.version, format, file });
      return {
        id: artifactId,
        name: row.name,
        type: row.type,
        version: row.version,
        format,
        mimeType: formatOf(format).mimeType,
        filename: filenameOf(row, format),
        url: `${caller.origin}${signed.path}?${signer.sign(signed, at, exportSeconds)}`,
        expiresAt: new Date(Math.floor(at / 1_000) * 1_000 + exportSeconds * 1_000).toISOString(),
        fileVersionId: fileVersionId ?? null,
        annotationCount: formatOf(format).remarks(row.content, file),
      };
    },
    stop: ({ id }, caller) => summary(agents.stop(own(id, caller), caller)),
    followup({ id, prompt }, caller) {
      const agent = own(id, caller);
      if (agent.project_id !== null) addsTo(state, caller, agent.project_id);
      if (!hasEnded(agent))
        throw new HttpError(
          readings.of('early-followup') === 'conflict' ? 409 : 400,
          `the agent is ${agent.status}: a follow-up is taken once it is ${endStatuses.join(', ')}`,
        );
      return detail(agents.followup(agent, prompt, caller));
    },
  };
};
