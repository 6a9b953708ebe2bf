import type { CallState, Intents } from '../../store/intents.ts';
import { withMark } from '../../pipelines/steps/agent/prompt.ts';
import { sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import type { NamedItem } from './items.ts';
import type { Pass } from './pass.ts';
import type { ReadyFiles } from './prepare-files.ts';
import { launchedBy, noteLaunched } from './sightings.ts';
import { readSpentOf } from './spent.ts';
import { sayFate } from '../../pipelines/own/settle.ts';

export type Launched = { agent: string };

/** Agents that a message names at most. */
const mostNamed = 5;

const named = (agents: readonly string[]): string => `${agents.slice(0, mostNamed).join(', ')}${agents.length > mostNamed ? ', …' : ''}`;

/** How a person says what became of an item. */
export const asked = (run: string, key: string): string =>
  `portolan rerun ${run} ${sayFate(key, 'again')} launches it anew, ${sayFate(key, 'done')} leaves it`;

/** How launches are named in a journal. */
export const launchCalls = 'instance.agents.launch ';

const launchIn = (intents: Intents): CallState | undefined => [...intents.calls()].find(([call]) => call.startsWith(launchCalls))?.[1];

/** The agent of an item, as its journal has it. */
export const launchedIn = (intents: Intents): string | undefined => {
  const known = launchIn(intents);
  return known?.is === 'done' ? (known.result as Launched).agent : undefined;
};

/** Was an agent of the item launched, or may it have been? */
export const isLaunched = (intents: Intents): boolean => (launchIn(intents)?.is ?? 'new') !== 'new';

/** May an agent of the item be there that its journal does not name? */
export const isLaunchOpen = (intents: Intents): boolean => launchIn(intents)?.is === 'open';

/** Launches the item's agent, or finds the one that was launched: by its mark, or by its files. */
export async function launch(
  { key, item: { mark, prompt } }: NamedItem,
  files: ReadyFiles,
  context: StepContext,
  { input, before }: Pass,
): Promise<string> {
  const slots = files.filter(({ slot }) => slot !== null);
  const capabilities = {
    ...(input.codeSearch ? { codeSearch: true } : {}),
    ...(input.webSearch === undefined ? {} : { webSearch: input.webSearch }),
  };
  const body = {
    ...(prompt === null ? {} : { prompt: { text: withMark(prompt, mark) } }),
    ...(input.workflow === undefined ? { fileIds: files.map(({ id }) => id) } : { workflowId: input.workflow }),
    ...(input.version === undefined ? {} : { workflowVersionId: input.version }),
    ...(slots.length === 0 ? {} : { workflowInputs: Object.fromEntries(slots.map(({ slot, id }) => [slot!, id])) }),
    ...(input.project === undefined ? {} : { projectId: input.project }),
    ...(input.model === undefined ? {} : { model: input.model }),
    ...(input.mode === undefined ? {} : { mode: input.mode }),
    ...(Object.keys(capabilities).length === 0 ? {} : { capabilities }),
  };
  const by = { mark, hasPrompt: prompt !== null, workflow: input.workflow ?? null, files: slots.map(({ id }) => id) };
  const { value } = await sendOnce<Launched>(context, {
    operation: 'instance.agents.launch',
    input: { mark },
    async send() {
      const { id } = await context.invoke('instance.agents.launch', body, { signal: context.signal });
      noteLaunched(context, id, by);
      return { agent: id };
    },
    lookup: {
      async find() {
        const { certain, possible } = await launchedBy(context, by, before);
        const [agent, ...more] = certain;
        if (agent !== undefined && more.length === 0) return { answer: { agent } };
        if (agent === undefined && possible.length === 0) return 'absent';
        if (agent !== undefined) await readSpentOf(certain, context);
        const why =
          agent === undefined
            ? `${named(possible)} may be its own: launched since with neither a prompt nor a file of its own, it bears no mark`
            : `${certain.length} agents bear its mark: ${named(certain)}`;
        return { unknown: `${why}. Delete what is too much and rerun, or say what became of it: ${asked(context.run.id, key)}` };
      },
    },
  });
  return value.agent;
}
