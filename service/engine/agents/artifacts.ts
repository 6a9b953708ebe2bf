import { isoTime } from '../../core/clock.ts';
import { newId } from '../../core/new-id.ts';
import type { Records } from '../../core/records/database.ts';
import type { Json } from '../../../text/json.ts';
import type { AgentRow } from './records.ts';

/** Content of a TABLE. */
export type Table = { schema: { name: string; type: 'string' | 'number' | 'boolean' }[]; elements: { [column: string]: Json }[] };

/** Content of a DRAWING_REVIEW: remarks by file and page. */
export type Review = { files: { fileId: string; name: string; remarks: { page: number; text: string }[] }[] };

export const remarksIn = ({ files }: Review): number => files.reduce((sum, { remarks }) => sum + remarks.length, 0);

/** What of a review is about one of its files; undefined where it is about no such file. */
export const ofFile = ({ files }: Review, fileId: string): Review | undefined => {
  const of = files.filter((each) => each.fileId === fileId);
  return of.length > 0 ? { files: of } : undefined;
};

export type ArtifactRow = { id: string; type: string; name: string; created_at: string; version: number; content: string };

/**
 * Keeps what a tool has made: the next version of the agent's artifact of that type and name, or its first. `madeBy`: the message of the tool,
 * which after a kill may be carried out once more and makes one version all the same. Called inside a transaction.
 */
export const keepArtifact = (
  records: Records,
  agent: Pick<AgentRow, 'id' | 'user_id' | 'organization_id'>,
  { type, name, content, madeBy }: { type: string; name: string; content: Json; madeBy: string },
): { id: string; version: number } => {
  const made = records.get<{ id: string; version: number }>(
    'SELECT artifact_id AS id, version FROM artifact_versions WHERE made_by = ?',
    madeBy,
  );
  if (made) return made;
  const known = records.get<{ id: string; version: number }>(
    `SELECT artifacts.id, max(version) AS version FROM artifacts JOIN artifact_versions ON artifact_id = artifacts.id
     WHERE agent_id = ? AND type = ? AND name = ? GROUP BY artifacts.id`,
    agent.id,
    type,
    name,
  );
  const { id, version } = known ? { id: known.id, version: known.version + 1 } : { id: newId(), version: 1 };
  if (!known)
    records.run(
      'INSERT INTO artifacts (id, agent_id, user_id, organization_id, type, name, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      id,
      agent.id,
      agent.user_id,
      agent.organization_id,
      type,
      name,
      isoTime(),
    );
  records.run(
    'INSERT INTO artifact_versions (artifact_id, version, made_by, content, created_at) VALUES (?, ?, ?, ?, ?)',
    id,
    version,
    madeBy,
    JSON.stringify(content),
    isoTime(),
  );
  return { id, version };
};

export const artifactsOf = (records: Records, agentId: string): Omit<ArtifactRow, 'version' | 'content'>[] =>
  records.all('SELECT id, type, name, created_at FROM artifacts WHERE agent_id = ? ORDER BY created_at, rowid', agentId);

const inVersions = `SELECT artifacts.id, type, name, artifacts.created_at, version, content FROM artifacts JOIN artifact_versions ON artifact_id = artifacts.id
   WHERE artifacts.id = ?`;

/** An artifact of an agent in a version, the latest where none is named; undefined where there is none. */
export const artifactOf = (records: Records, agentId: string, id: string, version?: number): ArtifactRow | undefined =>
  records.get<ArtifactRow>(
    `${inVersions} AND agent_id = ? AND version = coalesce(?, version) ORDER BY version DESC LIMIT 1`,
    id,
    agentId,
    version ?? null,
  );

/** A version of an artifact, whether or not its agent is still there. */
export const versionOf = (records: Records, id: string, version: number): ArtifactRow | undefined =>
  records.get<ArtifactRow>(`${inVersions} AND version = ?`, id, version);
