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
    file: 'service/apis/instance/agents.ts',
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
  {
    file: 'activities/agent/sightings.ts',
    find: 'const isIt = facts.mark === mark ||',
    replace: 'const isIt =',
    rule: 'an agent whose launch was not answered is found by its mark',
    test: 'test/system/agents.test.ts',
    title: 'launched once though answers are lost',
  },
  {
    file: 'activities/agent/collect.ts',
    find: 'if ((answer.status !== 403 && answer.status !== 400) || urls === mostUrls)',
    replace: 'if (urls > 0)',
    rule: 'the URL of an export that has ended is asked for again',
    test: 'test/system/agents.test.ts',
    title: 'also where the URL of an export has ended',
  },
  {
    file: 'store/reservations.ts',
    find: 'if (amount + nano(most) > nano(total))',
    replace: 'if (amount > nano(total))',
    rule: 'no agent is launched that could go beyond the cap',
    test: 'test/system/agents.test.ts',
    title: 'launches no agent that could go beyond it',
  },
  {
    file: 'activities/agent/take-over.ts',
    find: "...(fate?.status === 'done' ? { fate } : {}),",
    replace: '',
    rule: 'a rerun launches no agent anew that has finished',
    test: 'test/system/agents.test.ts',
    title: 'a rerun launches nothing anew',
  },
];
