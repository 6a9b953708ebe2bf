import type { Mutant } from './mutant.ts';

const test = 'test/service/members.test.ts';
const file = 'service/apis/maps/members.ts';

export const members: readonly Mutant[] = [
  {
    file,
    find: "!isAbove(own, 'MEMBER')",
    replace: 'false',
    rule: 'only administrators change the members of an organization',
    test,
  },
  {
    file,
    find: 'roles.find((role) => isAbove(role, own))',
    replace: 'roles.find(() => false)',
    rule: 'nobody gives or takes a role above their own',
    test,
  },
  {
    file,
    find: 'if (owners === 1)',
    replace: 'if (owners === 0)',
    rule: 'the last owner of an organization stays',
    test,
  },
  {
    file,
    find: 'if (known === access_role) return 0;\n      if (known)',
    replace: 'if (known)',
    rule: 'who is added once more with the same role stays a member',
    test,
  },
  {
    file,
    find: 'if (user_id !== context.userId) mayChange(records, context, organization_id, []);',
    replace: 'mayChange(records, context, organization_id, []);',
    rule: 'everybody may leave an organization',
    test,
  },
  {
    file,
    find: "'caseless(email) = caseless(?)'",
    replace: "'email = ?'",
    rule: 'a user is found by the email in any case',
    test,
  },
  {
    file: 'service/apis/maps/organization-view.ts',
    find: "if (role === undefined) return { ...seen, access_role: 'VIEWER', permissions: {} };",
    replace: "if (role === undefined && id === '') return { ...seen, access_role: 'VIEWER', permissions: {} };",
    rule: 'who is no member sees no members of an organization',
    test,
  },
  {
    file: 'service/apis/maps/organizations.ts',
    find: 'value === undefined || value === null ? []',
    replace: 'false ? []',
    rule: 'what a change of an organization leaves out stays',
    test,
  },
  {
    file: 'service/apis/maps/organizations.ts',
    find: 'slug = ? AND id <> ?',
    replace: 'slug = ? AND id = ?',
    rule: 'no two organizations have the same slug',
    test,
  },
  {
    file: 'service/apis/maps/organizations.ts',
    find: 'mayChange(records, caller, organization_id, []);',
    replace: '',
    rule: 'only administrators change an organization',
    test,
  },
  {
    file,
    find: '      mayChange(records, context, organization_id, [access_role]);\n      const known',
    replace: '      const known',
    rule: 'who may not change members does not learn who is one',
    test,
  },
  {
    file: 'service/core/records/keys.ts',
    find: 'organizationId: ifMember(records, found.user_id, organizationOf(records, found))',
    replace: "organizationId: organizationOf(records, found) ?? ''",
    rule: 'a key ends where its user leaves the organization',
    test: ['test/service/left.test.ts', 'test/spec/instance-access.test.ts'],
    title: 'was removed from',
  },
  {
    file: 'service/core/identity/sessions.ts',
    find: 'organizationId: ifMember(records, session.user_id, session.default_organization)',
    replace: "organizationId: session.default_organization ?? ''",
    rule: 'who is signed in leaves an organization as keys do',
    test: 'test/service/left.test.ts',
  },
  {
    file: 'service/apis/maps/access.ts',
    find: 'if (ofOrganization.has(path)) refuseFormer(caller);',
    replace: 'if (ofOrganization.has(path)) return;',
    rule: 'documents and vectors are for members of an organization',
    test: 'test/service/left.test.ts',
  },
  {
    file: 'service/apis/instance/access.ts',
    find: '  refuseFormer(caller);\n',
    replace: '',
    rule: 'the instance API is for members of the organization',
    test: 'test/spec/instance-access.test.ts',
    title: 'was removed from',
  },
];
