import type { ChatCompletion } from 'openai/resources/chat/completions';
import { parseRetryAfter } from '../../../../client/retry-after.ts';
import type { Json } from '../../../../text/json.ts';
import { ProviderFailed, type Answer, type Model, type Situation, type Tokens, type ToolCall } from '../model.ts';
import { messagesFor, toolsFor } from './conversation.ts';
import type { OpenAiSettings } from './settings.ts';

const provider = 'openai';

/** Attempts of one answer within a step of an agent; beyond them it shows `retry` and is asked again later. */
const mostRetries = 2;

/** The longest Retry-After that the SDK waits for: it does not wait for a longer one, and asks again at once. */
const longestWaitMs = 60_000;

/** In milliseconds; `retry-after-ms`, which some endpoints send beside or without `retry-after`, says it exactly. */
function waitOf(headers: Headers | undefined): number {
  const exact = Number(headers?.get('retry-after-ms') ?? NaN);
  return exact >= 0 ? exact : (parseRetryAfter(headers?.get('retry-after'), { date: headers?.get('date') ?? null, now: Date.now() }) ?? 0);
}

/** Sends a request of the SDK, and has it leave an answer that asks for a long wait: the agent is put off. */
const send: typeof fetch = async (...request) => {
  const answer = await fetch(...request);
  if (waitOf(answer.headers) <= longestWaitMs) return answer;
  const { status, statusText, body } = answer;
  const headers = new Headers(answer.headers);
  headers.set('x-should-retry', 'false');
  return new Response(body, { status, statusText, headers });
};

/** Arguments that are no object are refused by the tool, which says so. */
const argsOf = (text: string): ToolCall['args'] => {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
};

const tokensOf = (usage: ChatCompletion['usage']): Tokens | undefined => {
  if (!usage) return undefined;
  const cacheReadTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    inputTokens: Math.max(0, usage.prompt_tokens - cacheReadTokens),
    outputTokens: usage.completion_tokens,
    cacheCreationTokens: 0,
    cacheReadTokens,
  };
};

const answerOf = (model: string, { choices, usage }: ChatCompletion): Answer => {
  const message = choices[0]?.message;
  if (!message) throw new ProviderFailed('the endpoint answered without a choice', { category: 'invalid_answer', again: true });
  const calls = (message.tool_calls ?? []).flatMap((call): ToolCall[] =>
    call.type === 'function' ? [{ name: call.function.name, args: argsOf(call.function.arguments) }] : [],
  );
  const text = message.content || message.refusal || undefined;
  const tokens = tokensOf(usage);
  return {
    model,
    calls,
    ...(text === undefined ? (calls.length === 0 ? { text: '' } : {}) : { text }),
    ...(tokens ? { tokens } : {}),
  };
};

/** Of a status that the endpoint gave; undefined: none came. */
const categoryOf = (status: number | undefined): { category: string; again: boolean } => {
  if (status === undefined) return { category: 'network', again: true };
  if (status === 401 || status === 403) return { category: 'authentication', again: false };
  if (status === 429) return { category: 'rate_limit', again: true };
  if (status === 408 || status === 409 || status >= 500) return { category: 'overloaded', again: true };
  return { category: 'invalid_request', again: false };
};

/** Agents are answered by an OpenAI-compatible endpoint, through the official SDK, which is loaded when the first one is. */
export function openAiModel({ url, model: usual, key, prices, webSearch, timeoutSeconds }: OpenAiSettings): Model {
  const open = async () => {
    const { OpenAI, APIError } = await import('openai');
    const client = new OpenAI({
      baseURL: url,
      // Without one the SDK reads its own environment variable.
      apiKey: key ?? 'none',
      organization: null,
      project: null,
      maxRetries: mostRetries,
      timeout: timeoutSeconds * 1_000,
      logLevel: 'off',
      fetch: send,
    });
    return { client, APIError };
  };
  let opened: ReturnType<typeof open> | undefined;
  const withoutKey = (text: string): string => (key === undefined || key === '' ? text : text.replaceAll(key, '[the key]'));
  return {
    provider,
    searchesWeb: webSearch,
    textBytes: 256 * 1024,
    prices: Object.fromEntries(
      Object.entries(prices).map(([name, { input, output, cached = input }]) => [
        name,
        // A dollar for a million tokens is a thousand billionths for one.
        { input: input * 1e3, output: output * 1e3, cacheCreation: input * 1e3, cacheRead: cached * 1e3 },
      ]),
    ),
    async answer(situation: Situation, signal: AbortSignal): Promise<Answer> {
      const { client, APIError } = await (opened ??= open());
      const model = situation.model === 'auto' ? usual : situation.model;
      const tools = toolsFor(situation);
      try {
        const web = webSearch && situation.capabilities.webSearch ? { web_search_options: {} } : {};
        const request = { model, messages: messagesFor(situation), ...(tools.length > 0 ? { tools } : {}), ...web };
        return answerOf(model, await client.chat.completions.create(request, { signal }));
      } catch (error) {
        if (signal.aborted || !(error instanceof APIError)) throw error;
        const { status, headers } = error as { status?: number; headers?: Headers };
        throw new ProviderFailed(
          withoutKey(`the endpoint ${status === undefined ? 'gave no answer' : `answered ${status}`}: ${error.message}`),
          { ...categoryOf(status), waitMs: waitOf(headers) },
        );
      }
    },
  };
}
