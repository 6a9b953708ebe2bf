import type { Mutant } from './mutant.ts';

const test = 'test/workflows/lock.test.ts';
const steering = 'test/workflows/steering.test.ts';
const system = 'test/system/locks.test.ts';

/** Keys that one run at a time holds. */
export const locks: readonly Mutant[] = [
  {
    file: 'workflows/lock/reduce.ts',
    find: 'if (!holder) return handOver(state, at);',
    replace: 'return handOver(state, at);',
    rule: 'a key is held by one run at a time',
    test,
  },
  {
    file: 'workflows/lock/reduce.ts',
    find: 'state.waiting = [...waiting, asker];',
    replace: 'state.waiting = [asker, ...waiting];',
    rule: 'runs get a key in the order in which they asked',
    test,
  },
  {
    file: 'workflows/lock/reduce.ts',
    find: "if (holder?.firstRunId === asker.firstRunId) return [{ do: 'grant', to: holder }];\n",
    replace: '',
    rule: 'a run that asks twice does not wait for itself',
    test,
  },
  {
    file: 'workflows/lock/reduce.ts',
    find: 'return state.holder?.firstRunId === event.firstRunId ? refuse(state, state.holder) : [];',
    replace: 'return state.holder ? refuse(state, state.holder) : [];',
    rule: 'a run is refused for a holder that was looked at, not for the next one',
    test,
  },
  {
    file: 'workflows/lock/reduce.ts',
    find: '  state.waiting = [...waiting.filter(({ undoes }) => undoes), asker];\n',
    replace: '',
    rule: 'a run that cancels older ones comes before those that wait',
    test,
  },
  {
    file: 'workflows/interpreter/proceed.ts',
    find: "return state.paused || state.queued ? [] : [{ do: 'inspect', key: '/inspect' }];",
    replace: "return state.paused ? [] : [{ do: 'inspect', key: '/inspect' }];",
    rule: 'a run that waits for its key reads no source',
    test: steering,
  },
  {
    file: 'workflows/interpreter/apply.ts',
    find: 'if (!queued || state.cancelled || state.error) return;',
    replace: 'if (!queued) return;',
    rule: 'what is answered to a run that was cancelled while it waited changes nothing',
    test: steering,
  },
  {
    file: 'pipelines/lock.ts',
    find: "when ?? (origin && 'command' in origin ? 'reject' : 'queue')",
    replace: "when ?? 'queue'",
    rule: 'a person’s command does not wait for its key unless the file says so',
    test: system,
    title: 'a command whose key',
  },
  {
    file: 'workflows/lock-v1.ts',
    find: 'watch(state.waiting.length > 0 ? state.holder : undefined);',
    replace: 'watch(undefined);',
    rule: 'a lock sees by itself that its holder was terminated',
    test: system,
    title: 'the key of a run that was terminated',
  },
  {
    file: 'workflows/lock-v1.ts',
    find: 'let fresh = true;',
    replace: 'let fresh = false;',
    rule: 'a lock that has continued as new looks after its holder from the beginning',
    test: system,
    title: 'a lock that has continued as new',
  },
  {
    file: 'workflows/interpreter/view.ts',
    find: "return state.refused ? 'refused' : 'failed';",
    replace: "return 'failed';",
    rule: 'a run whose key is held is refused, which is no failure',
    test: system,
    title: 'of two commands at the same moment',
  },
  {
    file: 'workflows/announce.ts',
    find: "'approval', 'refused']",
    replace: "'approval']",
    rule: 'lists of runs say that one was refused',
    test: system,
    title: 'of two commands at the same moment',
  },
  {
    file: 'workflows/as-replayed.ts',
    find: "!patched('to be refused is no failure')",
    replace: 'false',
    rule: 'a run that was refused when that was a failure replays as one',
    test: 'test/histories/replay.test.ts',
  },
  {
    file: 'workflows/run-pipeline-v1.ts',
    find: '  releaseLock(plan);\n',
    replace: '',
    rule: 'a run gives its key back when it is over',
    test: system,
    title: 'a lock ends when its run has ended',
  },
  {
    file: 'workflows/lock-v1.ts',
    find: '    await older.signal(answerSignal, displaced).catch(() => undefined);\n',
    replace: '',
    rule: 'a run that is cancelled for a newer one says for which',
    test: system,
    title: 'a run that cancels older ones',
  },
];
