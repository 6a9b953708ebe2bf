import { forEver, once, share, whole } from './support-found.ts';
import type { OwnService } from './support-service.ts';
import { each, instanceOf } from './support-writes-keys.ts';
import type { Writer } from './support-writes.ts';

/** Members of one batch. */
const batch = 3;

/** Projects, workflows, budgets and users of the instance. */
export async function prepareWork(service: OwnService) {
  const { control } = service;
  const { projects, workflows, budgets } = instanceOf(service);
  const user = async (name: string): Promise<string> => (await control.addUser({ name, email: `${name}@example.com` })).id;
  const project = async (name: string): Promise<string> => (await projects.create({ name })).id;
  const workflow = async (name: string): Promise<{ workflowId: string; versionId: string }> => {
    const { id, versionId } = await workflows.create({ name });
    return { workflowId: id, versionId };
  };
  await budgets.update({ id: 'organization', memberLimits: { enabled: true } });
  const made = [];
  for (let at = 0; at < each; at++) {
    const users = await Promise.all(Array.from({ length: batch }, (_, one) => user(`limited-${at}-${one}`)));
    const { key } = await control.issueKey({
      service: 'instance',
      name: `folder-${at}`,
      user: users[0]!,
      scopes: ['developer:files', 'developer:files:upload'],
    });
    made.push({
      users,
      key,
      project: await project(`described-${at}`),
      budgeted: await project(`budgeted-${at}`),
      budget: (await budgets.create({ projectId: await project(`funded-${at}`), amountCents: 1 })).id,
      edited: await workflow(`edited-${at}`),
      released: await workflow(`released-${at}`),
    });
  }
  return { made };
}

/** Writers of files, projects, workflows and budgets. */
export function workWriters(
  service: OwnService,
  { made }: Awaited<ReturnType<typeof prepareWork>>,
  { write }: Writer,
): (() => Promise<void>)[] {
  const { control } = service;
  const { files, projects, workflows, budgets } = instanceOf(service);

  return [
    forEver(async (at) => {
      const own = instanceOf(service, made[at]!.key).files;
      await write(
        'instance.files.upload',
        (options) => files.upload({ file: new File([`content ${at}`], `written-${at}.txt`), path: `written/written-${at}.txt` }, options),
        async () =>
          once((await files.search({ query: `written-${at}.txt` })).data.filter(({ name }) => name === `written-${at}.txt`).length),
      );
      await write(
        'instance.files.tempFolder',
        (options) => own.tempFolder({}, options),
        async () => {
          // It is there once for each user: what makes it again changes nothing.
          let requestId = '';
          await own.tempFolder({}, { onAnswer: (answer) => (requestId = answer.requestId) });
          return whole((await control.journal()).rows.find((each) => each.request_id === requestId)?.changed === 0);
        },
      );
    }, each),
    forEver(async (at) => {
      const { project, users } = made[at]!;
      await write(
        'instance.projects.create',
        (options) => projects.create({ name: `work-${at}` }, options),
        async () =>
          once((await projects.list({ search: `work-${at}`, limit: 100 })).data.filter(({ name }) => name === `work-${at}`).length),
      );
      await write(
        'instance.projects.update',
        (options) => projects.update({ id: project, name: `named-${at}`, description: 'said' }, options),
        async () => {
          const { name, description } = await projects.get({ id: project });
          return share(Number(name === `named-${at}`) + Number(description === 'said'), 2);
        },
      );
      await write(
        'instance.projects.setMembers',
        (options) => projects.setMembers({ id: project, members: users.map((user) => ({ user, role: 'viewer' as const })) }, options),
        async () => share((await projects.members({ id: project })).data.filter(({ id }) => users.includes(id)).length, batch),
      );
    }, each),
    forEver(async (at) => {
      const { edited, released } = made[at]!;
      await write(
        'instance.workflows.create',
        (options) => workflows.create({ name: `review-${at}` }, options),
        async () => once((await workflows.list({ limit: 100 })).data.filter(({ name }) => name === `review-${at}`).length),
      );
      await write(
        'instance.workflows.update',
        (options) => workflows.update({ workflowId: edited.workflowId, instructionMarkdown: 'read', description: 'said' }, options),
        async () => {
          const { description, version } = await workflows.get({ workflowId: edited.workflowId });
          return share(Number(description === 'said') + Number(version.instructionMarkdown === 'read'), 2);
        },
      );
      await write(
        'instance.workflows.release',
        (options) => workflows.release(released, options),
        async () => whole((await workflows.get({ workflowId: released.workflowId })).releasedVersionId === released.versionId),
      );
    }, each),
    forEver(async (at) => {
      const { budgeted, budget, users } = made[at]!;
      await write(
        'instance.budgets.create',
        (options) => budgets.create({ projectId: budgeted, amountCents: 1, onExhausted: 'notify' }, options),
        async () => {
          const { data } = await budgets.list({ projectId: budgeted });
          return data.every(({ onExhausted, funding }) => onExhausted === 'notify' && funding.amountCents === 1)
            ? once(data.length)
            : { half: 'a budget without what was asked for' };
        },
      );
      await write(
        'instance.budgets.update',
        (options) => budgets.update({ id: budget, amountCents: 2, onExhausted: 'notify' }, options),
        async () => {
          const { funding, onExhausted } = await budgets.get({ id: budget });
          return share(Number(funding.amountCents === 2) + Number(onExhausted === 'notify'), 2);
        },
      );
      await write(
        'instance.budgets.setMembers',
        (options) => budgets.setMembers({ id: 'organization', members: users.map((user) => ({ user, limitCents: 7 })) }, options),
        async () => {
          const { data } = await budgets.members({ id: 'organization', limit: 100 });
          return share(data.filter(({ id, limitCents }) => users.includes(id) && limitCents === 7).length, batch);
        },
      );
    }, each),
  ];
}
