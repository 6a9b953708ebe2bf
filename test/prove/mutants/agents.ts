import type { Mutant } from './mutant.ts';

const test = 'test/service/agents.test.ts';

export const agents: readonly Mutant[] = [
  {
    file: 'service/engine/agents/exports/export-route.ts',
    find: 'export const exportSeconds = 300;',
    replace: 'export const exportSeconds = 3_000;',
    rule: 'the URL of an export is accepted for five minutes',
    test,
    title: 'their URLs end after five minutes',
  },
  {
    file: 'service/engine/agents/spend.ts',
    find: 'UNION SELECT agents.id FROM agents JOIN family ON parent_id = family.id',
    replace: 'UNION SELECT agents.id FROM agents JOIN family ON false',
    rule: 'the usage of an agent is summed over its sub-agents',
    test,
    title: 'its cost is in that of its parent',
  },
  {
    file: 'service/engine/agents/agents.ts',
    find: 'if (!hasEnded(agent))\n        throw',
    replace: 'if (agent.turn === 0)\n        throw',
    rule: 'a follow-up is taken by an agent that has ended alone',
    test: 'test/spec/rows.test.ts',
  },
  {
    file: 'service/apis/instance/agents.ts',
    find: 'if (holds(caller.scopes, analyticsScope) && administers(records, caller)) return row;',
    replace: 'if (holds(caller.scopes, analyticsScope)) return row;',
    rule: 'agents of other users are read by administrators alone',
    test,
    title: 'an analytics key of an administrator',
  },
];
