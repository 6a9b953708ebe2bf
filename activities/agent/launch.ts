import type { Intents } from '../../store/intents.ts';
import { withMark } from '../../pipelines/steps/agent/prompt.ts';
import { sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import type { NamedItem } from './items.ts';
import type { Pass } from './pass.ts';
import type { ReadyFiles } from './prepare-files.ts';
import { launchedWith } from './sightings.ts';

export type Launched = { agent: string };

/** How launches are named in a journal. */
export const launchCalls = 'instance.agents.launch ';

/** The agent of an item, as its journal has it. */
export const launchedIn = (intents: Intents): string | undefined => {
  const launch = [...intents.calls()].find(([call]) => call.startsWith(launchCalls))?.[1];
  return launch?.is === 'done' ? (launch.result as Launched).agent : undefined;
};

/** Launches the item's agent, or finds the one that was launched: by its mark, or by its files. */
export async function launch(
  { item: { mark, prompt } }: NamedItem,
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
  const { value } = await sendOnce<Launched>(context, {
    operation: 'instance.agents.launch',
    input: { mark },
    send: async () => ({ agent: (await context.invoke('instance.agents.launch', body, { signal: context.signal })).id }),
    lookup: {
      async find() {
        const [agent, ...more] = await launchedWith(context, { mark, files: slots.map(({ id }) => id) }, before);
        if (agent === undefined) return 'absent';
        return more.length === 0 ? { answer: { agent } } : { unknown: `${more.length + 1} agents carry the mark ${mark}` };
      },
    },
  });
  return value.agent;
}
