import { z } from 'zod';
import { defineEndpoint, type Ask, type Found } from '../endpoint.ts';
import { acknowledged, id } from './common.ts';
import { get as organization } from './organizations.ts';

/** Roles that a member can be given (public docs). */
/** Also of hosts without a dot, and in any script: the service shows such itself. */
const mailAddress = /^[^\s@]+@[^\s@]+$/;

const memberRoles = ['MEMBER', 'ADMIN', 'OWNER'] as const;

const role = z.enum(memberRoles);

/**
 * By id or by email: one of them. Who is a member with that role already stays one, so that the call can be repeated; with another role
 * it is a 409 (assumption).
 */
export const add = defineEndpoint({
  method: 'POST',
  path: '/v1/organization/members/add',
  summary: 'Make a user a member of an organization.',
  effect: 'idempotent',
  limit: 'maps/write',
  status: 201,
  refuses: { 409: 'the user is a member already' },
  input: z.strictObject({
    organization_id: id,
    access_role: role,
    user_id: z.string().min(1).nullish(),
    email: z.string().regex(mailAddress, { error: 'must be an address such as ann@example.org' }).nullish(),
  }),
  output: acknowledged,
});

export const update = defineEndpoint({
  method: 'POST',
  path: '/v1/organization/members/update',
  former: ['/v1/organization/members/modify'],
  summary: 'Change the role of a member of an organization.',
  effect: 'idempotent',
  limit: 'maps/write',
  status: 200,
  refuses: { 409: 'the organization would be left without an owner' },
  input: z.strictObject({ organization_id: id, access_role: role, user_id: z.string().min(1) }),
  output: acknowledged,
});

/** Whether somebody is a member is read from the organization: who may remove members sees them. */
async function gone(
  { organization_id, user_id }: { organization_id: string; user_id: string },
  ask: Ask,
): Promise<Found<{ result: 'ok' }>> {
  const { members } = await ask(organization, { organization_id_or_slug: organization_id, limit: 1 });
  if (!members) return { unknown: 'the organization does not show its members to this key' };
  return members.some((member) => member.user_id === user_id) ? 'absent' : { answer: { result: 'ok' } };
}

/** Who is no member: 404 (assumption), so that a repeat would fail: a lost answer is looked up. The last owner stays: 409 (assumption). */
export const remove = defineEndpoint({
  method: 'POST',
  path: '/v1/organization/members/delete',
  former: ['/v1/organization/members/remove'],
  summary: 'Remove a user from an organization.',
  effect: 'reconcile',
  lookup: { find: (input, _, ask) => gone(input, ask) },
  limit: 'maps/write',
  status: 200,
  refuses: { 409: 'the organization would be left without an owner' },
  input: z.strictObject({ organization_id: id, user_id: z.string().min(1) }),
  output: acknowledged,
});
