import { setTimeout as pause } from 'node:timers/promises';
import type { Calls, InputOf } from '../../client/invoke.ts';
import { readyFile } from '../support/ready-file.ts';
import type { Place } from './place.ts';

type By = Pick<Calls, 'invoke'>;

/** Turns take no time. */
export const quick = ({ api }: Pick<Place, 'api'>) => api.post('/__control/agents', { pace: { from: 0, to: 0 }, failures: { left: 0 } });

/** Turns take hours of the clock that can be moved: whoever runs stays so. */
export const slow = ({ api }: Place) => api.post('/__control/agents', { pace: { from: 36_000, to: 36_000 } });

export const uploaded = async (by: By, name: string, content: string): Promise<string> => (await readyFile(by, name, content)).id;

/** Launches an agent with files of these names and contents. */
export async function launched(by: By, text: string, files: Readonly<Record<string, string>> = {}) {
  const fileIds: string[] = [];
  for (const [name, content] of Object.entries(files)) fileIds.push(await uploaded(by, name, content));
  return by.invoke('instance.agents.launch', { prompt: { text }, fileIds });
}

export const launchedFrom = (by: By, workflowId: string, more: Partial<InputOf<'instance.agents.launch'>> = {}) =>
  by.invoke('instance.agents.launch', { workflowId, ...more });

/** The agent once it has one of these statuses. */
export async function seen({ invoke }: By, id: string, ...statuses: string[]) {
  for (;;) {
    const agent = await invoke('instance.agents.get', { id });
    if (statuses.includes(agent.status)) return agent;
    await pause(10);
  }
}

export const ended = (by: By, id: string) => seen(by, id, 'finished', 'stopped', 'failed');

export const messagesOf = async ({ invoke }: By, id: string, steps = false) =>
  (await invoke('instance.agents.conversation', { id, ...(steps ? { include: ['steps'] } : {}) })).messages;

/** The model of the agent that asks it next is held before it answers, until the function lets it go; resolves once it is. */
export async function held(place: Place, begin: () => Promise<unknown>): Promise<() => Promise<void>> {
  const { body } = await place.api.post('/__control/faults', { operation: 'agent.answered', do: { hold: 'before' } });
  await begin();
  const { occupied } = (await place.api.post('/__control/holds/wait', { id: body.id })).body;
  if (!occupied) throw new Error('no agent was held');
  return async () => void (await place.api.post('/__control/release', { id: body.id }));
}

export const orders = 'order,status,amount\n1,open,10.5\n2,paid,20\n3,open,4.5\n';
