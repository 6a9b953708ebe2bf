import type { ChatCompletionMessageParam, ChatCompletionTool, ChatCompletionUserMessageParam } from 'openai/resources/chat/completions';
import type { Entry, Situation } from '../model.ts';
import { asyncTools, tools } from '../tools/index.ts';

type ToolEntry = Extract<Entry, { type: 'tool' }>;

/** The tools that an agent may use, as the protocol names them. */
export const toolsFor = ({ capabilities, isSubAgent, files }: Situation): ChatCompletionTool[] =>
  Object.entries({ ...tools, ...asyncTools })
    .filter(([name]) => (name !== 'search_codes' || capabilities.codeSearch) && (name !== 'delegate' || (!isSubAgent && files.length > 0)))
    .map(([name, { does: description, parameters }]) => ({ type: 'function', function: { name, description, parameters } }));

/** A file by its name, of several of one name by its id too. */
const fileLine = (files: Situation['files'], { id, name, slots }: Situation['files'][number]): string =>
  [
    name,
    ...(slots.length === 0 ? [] : [`(${slots.join(', ')})`]),
    ...(files.filter((each) => each.name === name).length > 1 ? [`[id ${id}]`] : []),
  ].join(' ');

const system = ({ instructions, files }: Situation): string =>
  [
    'You work for a user in the background. Use the tools to read the files that you were given; keep tables and documents that are asked for as artifacts. End with a last word that answers the user.',
    files.length === 0 ? 'There are no files.' : `Files: ${files.map((file) => fileLine(files, file)).join(', ')}.`,
    ...(instructions === null ? [] : [instructions]),
  ].join('\n\n');

/** A prompt as a text, or as a text with its images. */
const contentOf = ({ text, images }: Extract<Entry, { type: 'user' }>): ChatCompletionUserMessageParam['content'] =>
  images.length === 0
    ? text
    : [
        { type: 'text', text },
        ...images.map(({ media_type, data }) => ({ type: 'image_url' as const, image_url: { url: `data:${media_type};base64,${data}` } })),
      ];

/** What one answer of the model asked for, with what came of it. */
const roundOf = (text: string | undefined, calls: readonly ToolEntry[]): ChatCompletionMessageParam[] => [
  {
    role: 'assistant',
    content: text ?? null,
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(({ id, call }) => ({
            id,
            type: 'function' as const,
            function: { name: call.name, arguments: JSON.stringify(call.args) },
          })),
        }
      : {}),
  },
  ...calls.map(({ id, result }) => ({ role: 'tool' as const, tool_call_id: id, content: JSON.stringify(result) })),
];

/** A conversation as messages of the protocol: what the user says, and each answer of the model with its calls and their results. */
export function messagesFor(situation: Situation): ChatCompletionMessageParam[] {
  const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: system(situation) }];
  let round: { number: number; text?: string; calls: ToolEntry[] } | undefined;
  const close = (): void => {
    if (round) messages.push(...roundOf(round.text, round.calls));
    round = undefined;
  };
  for (const entry of situation.entries) {
    if (entry.type === 'user') {
      close();
      messages.push({ role: 'user', content: contentOf(entry) });
      continue;
    }
    if (round?.number !== entry.round) close();
    round ??= { number: entry.round, calls: [] };
    if (entry.type === 'assistant') round.text = entry.text;
    else if (entry.type === 'tool') round.calls.push(entry);
  }
  close();
  return messages;
}
