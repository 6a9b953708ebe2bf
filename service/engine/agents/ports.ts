import type { Json } from '../../../text/json.ts';
import type { AgentFile } from './model.ts';

/** Who an agent works for. */
export type Owner = { userId: string; organizationId: string; projectId: string | null };

/** A version of a workflow as an agent runs it. */
export type RunnableWorkflow = {
  workflowId: string;
  versionId: string;
  name: string;
  instructions: string;
  model: string | null;
  mode: string | null;
  capabilities: { codeSearch?: boolean; webSearch?: boolean };
  slots: readonly { name: string; optional: boolean; multiple: boolean }[];
};

/** What agents need of the other resources of the API. */
export type AgentHost = {
  /** Files by their ids, folders as what they hold; 400 where one cannot be read by the owner. */
  files(owner: Owner, ids: readonly string[]): AgentFile[];
  /** The same for a launch: 400 too where one is still processed. */
  readyFiles(owner: Owner, ids: readonly string[]): AgentFile[];
  /** Path of the bytes of a file's latest version; 404 where the owner cannot read it any more. */
  contentOf(owner: Owner, fileId: string): string;
  /** The text of a document (PDF, DOCX, an image) by the parser; `place`: a file for what it writes. Fails with `BadInput` where it is none. */
  documentText(owner: Owner, fileId: string, place: string, signal: AbortSignal): Promise<string>;
  /** Moves files of the temporary folder into that of the agent; inside the transaction of the launch. */
  adopt(owner: Owner, agentId: string, ids: readonly string[]): void;
  /** Gives up those that were adopted and that no agent reads any more; inside the transaction of a deletion. */
  orphan(ids: readonly string[]): void;
  searchFiles(owner: Owner, query: string): { id: string; name: string }[];
  searchCodes(query: string): Json;
  /** The project's name; 404 where the owner cannot read it, 403 where they may not spend its budget. */
  project(owner: Owner, projectId: string): { name: string };
  /** 404 where the owner cannot read it, 403 where the version is not released and the owner may not edit it. */
  workflow(owner: Owner, workflowId: string, versionId: string | undefined): RunnableWorkflow;
  /** Notes that an agent has run on the version; inside the transaction of the launch. */
  ran(workflow: RunnableWorkflow, agentId: string): void;
  /** Why the owner may spend nothing now, and the seconds until that may change; undefined: nothing is in the way. */
  blocked(owner: Owner): { says: string; seconds?: number } | undefined;
  /** Charges what one round has cost, in billionths of a US dollar; inside its transaction. */
  charge(owner: Owner, spend: { agentId: string; nanoUsd: number }): void;
};
