import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import type { Readings } from '../../contracts/assumptions/index.ts';
import { readResults } from '../../store/results.ts';
import type { StepWorld } from '../activities/step-world.ts';
import { pdfOf } from '../service/pdf-writer.ts';
import { first, jobsOf, run, same, type Outcome, type Ran } from './support-readings-jobs.ts';

const limits = ['instance/standard', 'instance/heavy', 'instance/write', 'instance/search'] as const;

/** Agents that are there before every job: more than a page holds, so that in which order a list comes matters. */
const agentsBefore = 105;

export const instanceOf = ({ service }: StepWorld) =>
  createClient('instance', { baseUrl: service.url, token: service.adminKeys.instance, permits: createPermits() });

/** Lifts the limits, lets turns take no time, and launches the agents that are there before. */
export async function prepareInstance(world: StepWorld): Promise<void> {
  for (const limit of limits) await world.control.limit(limit, 1_000_000, 60);
  await world.control.agents({ pace: { from: 0, to: 0 } });
  const api = instanceOf(world);
  for (let at = 0; at < agentsBefore; at++) await api.agents.launch({ prompt: { text: 'Count the words of: one two.' } });
}

const agents = (more: object): string => `
name: agents
params: { items: { type: path } }
steps:
  ask:
    use: agent.run
    with: ${JSON.stringify({ items: '${{ params.items }}', key: 'id', prompt: 'Extract the emails of this note: {{text}}', everySeconds: 0.25, ...more })}
outputs: { results: "\${{ steps.ask.results }}", statuses: "\${{ steps.ask.statuses }}" }
`;

const budgets = readFileSync(new URL('../../pipelines/budgets.yaml', import.meta.url), 'utf8');

const notes = [
  { id: 'a', text: 'Write to a@example.com.' },
  { id: 'b', text: 'Nothing here.' },
  { id: 'c', text: 'Write to c@example.com.' },
  { id: 'd', text: 'Write to d@example.com.' },
];

/** Agents in batches, budgets, and what calls do whose answers are lost, under these readings; the outcome of each, read raw from the service. */
export async function instanceJobsUnder(world: StepWorld, readings: Partial<Readings>, slug: string): Promise<Outcome[]> {
  const { outcomes, job, rightOrRefused, impossible } = await jobsOf(world, readings);
  const { control } = world;
  const api = instanceOf(world);
  const call = (operation: string, input: object) => world.newRun().step('api.call', { operation, input });
  const effectsOf = async (operation: string): Promise<number> =>
    (await control.journal()).rows.filter((row) => row.operation === operation && row.changed > 0).length;
  const textsOf = async ({ store, outputs }: Ran): Promise<unknown[]> => {
    const texts: unknown[] = [];
    for await (const { item, text } of readResults(store, outputs.results as string)) texts.push([item, text]);
    return texts;
  };

  const before = { launches: await effectsOf('instance.agents.launch'), followUps: await effectsOf('instance.agents.followup') };
  await job(
    'agents, with a launch and a follow-up whose answers are lost',
    async () => {
      await control.faultIfCalled('instance.agents.launch', 2, { lose: 'answer' });
      await control.faultIfCalled('instance.agents.followup', 1, { lose: 'answer' });
      const followUps = [{ when: { says: 'No emails' }, prompt: 'Count the words of: {{text}}' }];
      return run(world, agents({ followUps }), { items: await world.table(notes) });
    },
    async (ran) =>
      first(
        same('launched', (await effectsOf('instance.agents.launch')) - before.launches, notes.length),
        same('follow-ups', (await effectsOf('instance.agents.followup')) - before.followUps, 1),
        same('statuses', ran.outputs.statuses, { done: notes.length }),
        same('said', (await textsOf(ran)).filter(([, text]: any) => String(text).startsWith('1 emails')).length, 3),
      ),
  );
  await job(
    'agents whose file is still processed when they could be launched',
    async () => {
      const file = join(world.dir, `${slug}.pdf`);
      await writeFile(file, pdfOf([[{ x: 50, y: 700, text: `Write to ${slug}@example.com.` }]]));
      const { id } = await control.fault('file.ingesting', 1, { hold: 'before' });
      const items = await world.table([{ id: slug, file }]);
      const running = run(world, agents({ prompt: 'Extract the emails.', files: ['file'] }), { items });
      running.catch(() => undefined);
      if (await Promise.race([control.held(id), running.then(() => false)])) {
        // It has been asked for while it was processed, once the chunk has come back.
        const asked = async () => (await control.requests()).rows.filter(({ operation }) => operation === 'instance.files.status').length;
        for (const then = await asked(); (await asked()) === then;) await sleep(20);
      }
      await control.release(id);
      return running;
    },
    async (ran) => same('said', await textsOf(ran), [[slug, `1 emails: ${slug}@example.com.`]]),
  );
  await job(
    'agents while a limit is closed',
    async () => {
      await control.limit('instance/heavy', 2, 1);
      return run(world, agents({}), { items: await world.table(notes) });
    },
    async (ran) => same('statuses', ran.outputs.statuses, { done: notes.length }),
  );
  await control.limit('instance/heavy', 1_000_000, 60);

  const { id: agent } = await api.agents.launch({ prompt: { text: 'Count the words of: one two.' } });
  await job(
    'an agent is deleted, and the answer lost',
    async () => {
      await control.fault('instance.agents.remove', 1, { lose: 'answer' });
      return call('instance.agents.remove', { id: agent });
    },
    async () => {
      const { status } = await fetch(`${world.service.url}/api/v0/agents/${agent}`, {
        headers: { authorization: `Bearer ${world.service.adminKeys.instance}` },
      });
      return same('status', status, 404);
    },
  );
  await rightOrRefused(
    'codes of a jurisdiction that nobody knows',
    () => call('instance.codes.search', { query: 'door', jurisdiction: 'nowhere', codeType: 'building' }),
    async (found) => same('results', found?.output.result.results, []),
  );
  const { id: project } = await api.projects.create({ name: `${slug} left` });
  const [me] = (await api.projects.members({ id: project })).data;
  await rightOrRefused(
    'the last administrator of a project is removed',
    () => call('instance.projects.setMembers', { id: project, members: [{ user: me!.id, role: null }] }),
    async () => same('members', (await api.projects.members({ id: project })).data, []),
  );
  const user = await control.addUser({ name: slug, email: `${slug}@example.com` });
  await rightOrRefused(
    'a user is disabled, and the answer lost',
    async () => {
      await control.fault('instance.users.disable', 1, { lose: 'answer' });
      return call('instance.users.disable', { id: user.id, reason: 'left' });
    },
    async () => undefined,
  );

  const { id: paid } = await api.projects.create({ name: `${slug} paid` });
  const file = join(world.dir, `${slug}-budgets.json`);
  await writeFile(
    file,
    JSON.stringify({
      budgets: [
        { project: paid, amountCents: 500, memberLimits: { enabled: true, defaultCents: 90, period: 'daily' } },
        { project, amountCents: 70, onExhausted: 'notify' },
      ],
    }),
  );
  const made = await effectsOf('instance.budgets.create');
  await job(
    'budgets, one of which is made and the answer lost',
    async () => {
      await control.fault('instance.budgets.create', 1, { lose: 'answer' });
      await run(world, budgets, { desired: file });
      return run(world, budgets, { desired: file });
    },
    async (again) =>
      first(
        same('made', (await effectsOf('instance.budgets.create')) - made, 2),
        same('differences of a second run', again.outputs.applied, 0),
        same('amount', (await api.budgets.list({ projectId: paid })).data[0]?.funding.amountCents, 500),
        same('unexplained', again.outputs.unexplainedCents, 0),
      ),
  );
  await impossible('a second budget of a project', () => call('instance.budgets.create', { projectId: paid, amountCents: 1 }));
  return outcomes;
}

/** A look-up that reads one page of a list, as a client does that takes the newest to come first: whether it finds the agent that was launched last. */
export async function findsOnFirstPage(world: StepWorld, order: 'newest' | 'oldest'): Promise<boolean> {
  const api = instanceOf(world);
  const { id } = await api.agents.launch({ prompt: { text: 'Count the words of: one two.' } });
  await world.control.assume({ 'agent-order': order });
  const { data } = await api.agents.list({ limit: 100 });
  await world.control.assume();
  return data.some((agent) => agent.id === id);
}
