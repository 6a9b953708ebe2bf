import type { Json } from '../../../text/json.ts';

/** What an agent asks a tool for. */
export type ToolCall = { name: string; args: { [name: string]: Json } };

/** An image that came with a prompt, its bytes in base64. */
export type PromptImage = { media_type: string; data: string };

/** One thing that was said or done, in order; `turn` counts the prompts, `round` all answers of the model. */
export type Entry = { turn: number; round: number } & (
  | { type: 'user'; text: string; images: readonly PromptImage[] }
  | { type: 'assistant'; text: string }
  | { type: 'tool'; id: string; call: ToolCall; failed: boolean; result: Json }
);

/** A file that an agent may read; `slots`: those of its workflow that the file fills. */
export type AgentFile = { id: string; name: string; mimeType: string | null; slots: readonly string[] };

/** All that the next round is decided by: equal situations have equal answers of the built-in worker. */
export type Situation = {
  agentId: string;
  turn: number;
  round: number;
  /** What the workflow says that is to be done. */
  instructions: string | null;
  entries: readonly Entry[];
  files: readonly AgentFile[];
  capabilities: { codeSearch: boolean; webSearch: boolean };
  /** Model that was asked for at launch; `auto`: whichever there is. */
  model: string;
  /** A sub-agent starts no further ones. */
  isSubAgent: boolean;
};

export type Tokens = { inputTokens: number; outputTokens: number; cacheCreationTokens: number; cacheReadTokens: number };

/** One round: with calls of tools it goes on when they are done, without any the text is the last word of the turn. */
export type Answer = { model: string; thinking?: string; text?: string; calls: readonly ToolCall[]; tokens?: Tokens };

/** Price of one token in billionths of a US dollar. */
export type Price = { input: number; output: number; cacheCreation: number; cacheRead: number };

export type Model = {
  /** Who answers, as `retry.provider` names it. */
  readonly provider: string;
  /** Does it search the web for an agent that was launched with `webSearch`? */
  readonly searchesWeb: boolean;
  /** Bytes of text that it can be given of all files of an agent together; each file has its part of them. */
  readonly textBytes: number;
  /** What its models cost, by their names. */
  readonly prices: Readonly<Record<string, Price>>;
  answer(situation: Situation, signal: AbortSignal): Promise<Answer>;
};

/** The provider gave no answer. `again`: it may give one later, `waitMs` from now at the earliest. */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed';
  readonly category: string;
  readonly again: boolean;
  readonly waitMs: number;
  constructor(
    message: string,
    { category, again, waitMs = 0, cause }: { category: string; again: boolean; waitMs?: number; cause?: unknown },
  ) {
    super(message, { cause });
    this.category = category;
    this.again = again;
    this.waitMs = waitMs;
  }
}
