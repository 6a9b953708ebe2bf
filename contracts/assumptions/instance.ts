import type { Assumption } from './assumption.ts';

/** The instance API. */
export const instance = {
  'agent-order': {
    text: 'GET /agents: pages of 20 to 100; in what order is not said',
    readings: { newest: 'the newest agent first', oldest: 'the oldest first' },
    probe: 'read',
    handled: 'any',
    matters: 'what is looked up where the answer of instance.agents.launch was lost; agent.run',
  },
  'absent-values': {
    text: '"Presence rules of optional response fields such as retry and parentSessionId: not shown"',
    readings: { null: 'they are null', 'left-out': 'they are left out' },
    probe: 'read',
    handled: 'any',
    matters: 'agent.run and api.call of instance.agents.*',
  },
  'unready-file': {
    text: '"Poll the status before launching a workflow"; what becomes of a launch with a file that is still processed is not said',
    readings: { refused: '400', taken: 'the agent is launched, and reads what is there' },
    probe: 'none',
    handled: 'any',
    matters: 'agent.run, which waits for its files',
  },
  'early-followup': {
    text: 'followup: "finished, stopped or failed"; how it is refused of others is not shown',
    readings: { conflict: '409', 'bad-request': '400' },
    probe: 'none',
    handled: 'any',
    matters: 'agent.run, which sends none before an agent has ended',
  },
  'second-agent-deletion': {
    text: 'DELETE /agents/{id} of what is deleted: not shown',
    readings: { 'not-found': '404', succeeds: '200' },
    probe: 'none',
    handled: 'any',
    matters: 'api.call of instance.agents.remove, where the first answer was lost',
  },
  'unknown-jurisdiction': {
    text: 'codes/search: allowed values of jurisdiction and codeType are not shown, nor what becomes of others',
    readings: { empty: 'no results', 'not-found': '404' },
    probe: 'read',
    handled: 'refused',
    matters: 'api.call of instance.codes.search',
  },
  'last-administrator': {
    text: 'members: "a role of null removes the member"; whether a project keeps an administrator is not said',
    readings: { kept: '409 where none would be left', removed: 'a project may be without' },
    probe: 'none',
    handled: 'any',
    matters: 'api.call of instance.projects.setMembers',
  },
  'viewer-spends': {
    text: 'roles: "viewer is Read-only member"; whether one launches agents on the budget of the project, or adds workflows to it, is not said',
    readings: { refused: '403', taken: 'as a member does' },
    probe: 'none',
    handled: 'any',
    matters: 'agent.run with a project, api.call of instance.agents.launch, instance.agents.followup and instance.workflows.create',
  },
  'second-disabling': {
    text: 'disable of a user who is disabled: not shown',
    readings: { succeeds: '200, and no key revoked', conflict: '409' },
    probe: 'none',
    handled: 'refused',
    matters: 'api.call of instance.users.disable, where the first answer was lost',
  },
  'budget-statuses': {
    text: '"Status codes of the budget error codes … not shown"',
    readings: { 'by-code': '400, 402, 403 and 409, by the code', 'bad-request': '400 for each of them' },
    probe: 'none',
    handled: 'any',
    matters: 'what is decided by the codes of budgets',
  },
  'throttle-status': {
    text: '"Status codes of … the Retry-After response: not shown"',
    readings: { 'too-many': '429', unavailable: '503' },
    probe: 'none',
    handled: 'any',
    matters: 'every call of the instance API',
  },
} as const satisfies Record<string, Assumption>;
