import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Message = {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};
export type ChatRequest = {
  model: string;
  messages: Message[];
  tools?: { function: { name: string; parameters: object } }[];
  web_search_options?: object;
};

/** What the endpoint does instead of answering: a status with a body, or nothing until it is given up. */
export type Trouble = { status: number; says?: string; headers?: Record<string, string> } | 'silence';

/** What a model says to a conversation. */
export type Says = (request: ChatRequest) => { text?: string; calls?: { name: string; args: object }[] };

/** An endpoint that speaks the protocol of chat completions: each answer by what the test says, with its usage. */
export async function startOpenAiEndpoint(says: Says) {
  const requests: ChatRequest[] = [];
  const keys: (string | undefined)[] = [];
  const troubles: Trouble[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as ChatRequest;
    requests.push(body);
    keys.push(request.headers.authorization);
    const trouble = troubles.shift();
    if (trouble === 'silence') return;
    const send = (status: number, value: object, headers: Record<string, string> = { 'retry-after-ms': '1' }): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    if (trouble) return send(trouble.status, { error: { message: trouble.says ?? 'not now', type: 'test', code: null } }, trouble.headers);
    if (request.url !== '/v1/chat/completions') return send(404, { error: { message: `no such place: ${request.url}` } });
    const { text = null, calls = [] } = says(body);
    send(200, {
      id: `c${requests.length}`,
      object: 'chat.completion',
      created: 1,
      model: body.model,
      choices: [
        {
          index: 0,
          finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
          logprobs: null,
          message: {
            role: 'assistant',
            content: text,
            refusal: null,
            ...(calls.length > 0
              ? {
                  tool_calls: calls.map(({ name, args }, at) => ({
                    id: `call-${requests.length}-${at}`,
                    type: 'function',
                    function: { name, arguments: JSON.stringify(args) },
                  })),
                }
              : {}),
          },
        },
      ],
      usage: { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200, prompt_tokens_details: { cached_tokens: 400 } },
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    keys,
    troubles,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
