import { ApiError } from '../../client/errors.ts';
import { signIn } from '../support/sign-in.ts';
import { forEver, share, whole, type Found } from './support-found.ts';
import type { OwnService } from './support-service.ts';
import { each, revealingOf } from './support-writes-keys.ts';
import type { Writer } from './support-writes.ts';

type Session = { access_token: string; refresh_token: string };

/** Organizations, users who are members and who are not, codes and sessions. */
export async function preparePeople(service: OwnService) {
  const { api, control } = service;
  const { organization_id } = await api.organizations.create({ nickname: 'people' });
  const user = async (name: string): Promise<string> => (await control.addUser({ name, email: `${name}@example.com` })).id;
  const member = async (name: string): Promise<string> => {
    const user_id = await user(name);
    await api.members.add({ organization_id, user_id, access_role: 'MEMBER' });
    return user_id;
  };
  const made = [];
  for (let at = 0; at < each; at++)
    made.push({
      team: (await api.organizations.create({ nickname: `described-${at}` })).organization_id,
      stranger: await user(`stranger-${at}`),
      raised: await member(`raised-${at}`),
      removed: await member(`removed-${at}`),
      code: await newCode(service),
      session: await revealingOf(service, '').identity.token({ code: await newCode(service) }),
    });
  return { organization_id, made };
}

async function newCode({ api, url, adminKeys }: OwnService): Promise<string> {
  const { authorization_url } = await api.identity.authorize({});
  return signIn(authorization_url.replace(new URL(authorization_url).origin, url), adminKeys.maps);
}

/** Writers of organizations, of their members, and of sessions. */
export function peopleWriters(
  service: OwnService,
  { organization_id, made }: Awaited<ReturnType<typeof preparePeople>>,
  { write }: Writer,
): (() => Promise<void>)[] {
  const { api } = service;
  const roleOf = async (user_id: string): Promise<string | undefined> =>
    (await api.organizations.get({ organization_id_or_slug: organization_id })).members?.find((each) => each.user_id === user_id)
      ?.access_role ?? undefined;
  const identity = (token: string) => revealingOf(service, token);

  return [
    forEver(async (at) => {
      const { team, code, session } = made[at]!;
      await write(
        'maps.organizations.update',
        (options) =>
          api.organizations.update(
            { organization_id: team, new_organization_description: 'said', new_organization_nickname: `named-${at}` },
            options,
          ),
        async () => {
          const { description, nickname } = await api.organizations.get({ organization_id_or_slug: team });
          return share(Number(description === 'said') + Number(nickname === `named-${at}`), 2);
        },
      );
      let given: Session | undefined;
      await write(
        'maps.identity.token',
        async (options) => {
          given = await identity('').identity.token({ code }, options);
        },
        () => sessionOf(given, code),
      );
      await write(
        'maps.identity.logout',
        (options) => identity(session.access_token).identity.logout({}, options),
        async () => whole(await isRefused(identity(session.access_token).user.get({}), 401)),
      );
    }, each),
    forEver(async (at) => {
      const { stranger, raised, removed } = made[at]!;
      await write(
        'maps.members.add',
        (options) => api.members.add({ organization_id, user_id: stranger, access_role: 'MEMBER' }, options),
        async () => whole((await roleOf(stranger)) !== undefined),
      );
      await write(
        'maps.members.update',
        (options) => api.members.update({ organization_id, user_id: raised, access_role: 'ADMIN' }, options),
        async () => whole((await roleOf(raised)) === 'ADMIN'),
      );
      await write(
        'maps.members.remove',
        (options) => api.members.remove({ organization_id, user_id: removed }, options),
        async () => whole((await roleOf(removed)) === undefined),
      );
    }, each),
  ];

  /** A code is spent for a session: one whose answer came is refreshed, and without a session its code can be used still. */
  async function sessionOf(given: Session | undefined, code: string): Promise<Found> {
    if (!given) return whole(await isRefused(identity('').identity.token({ code }), 400));
    return whole(!(await isRefused(identity('').identity.refresh({ refresh_token: given.refresh_token }), 401)));
  }
}

async function isRefused(call: Promise<unknown>, status: number): Promise<boolean> {
  try {
    await call;
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.status === status) return true;
    throw error;
  }
}
