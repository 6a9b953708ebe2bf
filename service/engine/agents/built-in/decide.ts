import type { Answer, Model, Situation, ToolCall } from '../model.ts';
import { doneOf, materialOf, promptOf, queryCalls, readCall, type Material } from './material.ts';
import { report } from './report.ts';
import { saves } from './saves.ts';
import { usualSentences, wishesOf, type Wishes } from './wishes.ts';

/** Calls of one round. */
const mostCalls = 5;

const bySubAgents = /\b(?:(?:use|using|with|by|start) )?(?:an? )?sub-?agents?\b(?: (?:for|on) each \w+)?[ :,;.]*/gi;

/** What a sub-agent is asked for its file: the same, but for the words that ask for sub-agents. */
const partOf = (prompt: string): string => {
  const part = prompt
    .replaceAll(bySubAgents, ' ')
    .replaceAll(/\beach file separately\b/gi, 'the file')
    .trim();
  return wishesOf(part).understood ? part : 'Summarise the file.';
};

/** What has to be done before the last word, step by step: each needs what those before it have found. */
const needed = (situation: Situation, prompt: string, wishes: Wishes): ToolCall[][] => {
  const { files, isSubAgent } = situation;
  if (wishes.delegate && !isSubAgent && files.length > 0) {
    return [files.map(({ id }) => ({ name: 'delegate', args: { prompt: partOf(prompt), file: id } }))];
  }
  const material = (): Material => materialOf(situation);
  return [
    files.map(({ id }) => readCall(id)),
    [
      ...(wishes.searchFiles === undefined ? [] : [{ name: 'search_files', args: { query: wishes.searchFiles } }]),
      ...(wishes.searchCodes === undefined || !situation.capabilities.codeSearch
        ? []
        : [{ name: 'search_codes', args: { query: wishes.searchCodes } }]),
    ],
    wishes.ask === undefined ? [] : [{ name: 'ask_user', args: { question: wishes.ask } }],
    queryCalls(material().tables, wishes).map(({ call }) => call),
    saves(situation, material(), wishes),
  ];
};

/** What the built-in worker does next: calls that are still to be done, or its last word. It draws nothing and reads no clock. */
export const decide = (situation: Situation): Answer => {
  const prompt = promptOf(situation, situation.turn);
  const asked = wishesOf(prompt);
  // Of files that come with no wish that is known there is a summary, and the last word says that nobody has asked for it.
  const wishes = asked.understood || situation.files.length === 0 ? asked : { ...asked, summary: usualSentences };
  for (const calls of needed(situation, prompt, wishes)) {
    const open = calls.filter((call) => !doneOf(situation, call)).slice(0, mostCalls);
    if (open.length > 0)
      return { model: 'built-in', thinking: `Next: ${[...new Set(open.map(({ name }) => name))].join(', ')}.`, calls: open };
  }
  const delegated = wishes.delegate && !situation.isSubAgent && situation.files.length > 0;
  const material = delegated ? { tables: [], texts: [], prose: [], unread: [] } : materialOf(situation);
  return {
    model: 'built-in',
    text: report(situation, material, delegated ? { ...wishes, extract: [], measures: [], summary: 0, review: false } : wishes),
    calls: [],
  };
};

/** It costs 1 $ for a million tokens that it reads and 5 $ for a million that it writes; what it has read before a tenth. */
export const builtIn: Model = {
  provider: 'built-in',
  searchesWeb: false,
  textBytes: 2 * 1024 * 1024,
  prices: { 'built-in': { input: 1_000, output: 5_000, cacheCreation: 1_250, cacheRead: 100 } },
  answer: async (situation) => decide(situation),
};
