import { ApiError } from '../../client/errors.ts';
import { forEver, once, whole } from './support-found.ts';
import type { OwnService } from './support-service.ts';
import { each, instanceOf } from './support-writes-keys.ts';
import type { Writer } from './support-writes.ts';

/** Agents that have ended, agents that wait for a reply, and a document. */
export async function prepareAgents(service: OwnService) {
  const { control } = service;
  const { agents } = instanceOf(service);
  await control.agents({ pace: { from: 0, to: 0 } });
  const agent = async (text: string, at: string): Promise<string> => {
    const { id } = await agents.launch({ prompt: { text } });
    await until(async () => (await agents.get({ id })).status === at);
    return id;
  };
  const made = await Promise.all(
    Array.from({ length: each }, async (_, at) => ({
      prompted: await agent(`Summarise ${at}.`, 'finished'),
      stopped: await agent(`Ask me which roof of ${at} is meant.`, 'awaiting_tool'),
      removed: await agent(`Summarise ${at} too.`, 'finished'),
    })),
  );
  return { made, document: await newDocument(service) };
}

async function newDocument({ api }: OwnService): Promise<string> {
  const bytes = Buffer.from('A ship in a storm.');
  const { files } = await api.documents.upload({ files: [{ id: 'ship.txt', size: bytes.length, content_type: 'text/plain' }] });
  await fetch(files[0]!.upload_url, { method: 'PUT', body: bytes });
  return files[0]!.svc_url!;
}

/** Writers of agents, and of tasks under way. */
export function agentWriters(
  service: OwnService,
  { made, document }: Awaited<ReturnType<typeof prepareAgents>>,
  { write }: Writer,
): (() => Promise<void>)[] {
  const { api, control } = service;
  const { agents } = instanceOf(service);
  const said = async (id: string, text: string): Promise<number> =>
    (await agents.conversation({ id })).messages.filter((each) => each.type === 'user' && each.text === text).length;

  return [
    forEver(async (at) => {
      const text = `Extract the emails of a-${at}@example.com.`;
      await write(
        'instance.agents.launch',
        (options) => agents.launch({ prompt: { text } }, options),
        async () => {
          const { data } = await agents.list({ limit: 100 });
          const heard = await Promise.all(data.map(({ id }) => said(id, text)));
          return once(heard.filter((count) => count > 0).length);
        },
      );
    }, each),
    forEver(async (at) => {
      const { prompted, stopped, removed } = made[at]!;
      const text = `Go on with ${at}.`;
      await write(
        'instance.agents.followup',
        (options) => agents.followup({ id: prompted, prompt: { text } }, options),
        async () => once(await said(prompted, text)),
      );
      await write(
        'instance.agents.stop',
        (options) => agents.stop({ id: stopped }, options),
        async () => whole((await agents.get({ id: stopped })).status === 'stopped'),
      );
      await write(
        'instance.agents.remove',
        (options) => agents.remove({ id: removed }, options),
        async () => whole(await agents.get({ id: removed }).then(() => false, isGone)),
      );
    }, each),
    forEver(async () => {
      // Held where it begins: one that has ended has nothing to cancel.
      const held = await control.faultIfCalled('task.begun', 1, { hold: 'before' });
      const { task_id } = await api.documents.parse({ file_url: document });
      await control.held(held.id);
      await write(
        'maps.documents.cancel',
        (options) => api.documents.cancel({ task_id }, options),
        async () => {
          // What was not cancelled is begun again by the service that starts.
          await until(async () => !['WAITING', 'BUILDING'].includes((await api.documents.status({ task_id })).status));
          return whole((await api.documents.status({ task_id })).status !== 'COMPLETED');
        },
      );
    }),
  ];
}

const isGone = (error: unknown): boolean => {
  if (error instanceof ApiError && error.status === 404) return true;
  throw error;
};

async function until(is: () => Promise<boolean>): Promise<void> {
  const late = performance.now() + 60_000;
  while (!(await is())) {
    if (performance.now() > late) throw new Error('what was waited for has not come within 60 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
