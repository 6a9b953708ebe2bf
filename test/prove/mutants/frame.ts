import type { Mutant } from './mutant.ts';

const failure = { file: 'activities/frame/failure.ts', test: 'test/activities/failure.test.ts' } as const;
const present = { file: 'activities/frame/present-store.ts', test: 'test/activities/present-store.test.ts' } as const;

/** What runs every step: the store while it is there, fences, failures, confirmations. */
export const frame: readonly Mutant[] = [
  {
    file: 'activities/frame/call-tally.ts',
    find: '      clearInterval(timer);\n      await flush();',
    replace: '      clearInterval(timer);',
    rule: 'each attempt writes down what it has sent',
    test: 'test/system/plan.test.ts',
    title: 'held against its plan',
  },
  { ...present, find: 'async () => check()', replace: 'async () => undefined', rule: 'nothing is written into a store that is gone' },
  {
    ...present,
    find: "['items', 'fates', 'remember', 'writeJson', 'keepJson', 'writeIds', 'event'])",
    replace: "['items', 'fates', 'remember', 'writeJson', 'keepJson', 'event'])",
    rule: 'no list of ids is begun anew in a store that is gone',
  },
  {
    ...present,
    find: "...before(store, fence, ['items', 'fates', 'remember', 'writeJson']),",
    replace: '',
    rule: 'an attempt that was given away writes no ledger over that of the next',
  },
  {
    ...failure,
    find: 'nextRetryDelay: Math.max(floorMs, Math.ceil(error.waitMs) + 20),',
    replace: 'nextRetryDelay: floorMs,',
    rule: 'a wait is as long as the service asked for',
  },
  {
    ...failure,
    find: "const retryable = 'retryable' in known && known.retryable === true;",
    replace: 'const retryable = true;',
    rule: 'a refusal fails once',
  },
  {
    ...failure,
    find: 'const remedy = error.remedy ?? remedyOfStatus(error.status);',
    replace: 'const remedy = remedyOfStatus(error.status);',
    rule: 'a refusal keeps the remedy of its own',
  },
  {
    ...failure,
    find: 'return error.message.slice(0, 1_500);',
    replace: 'return error.message;',
    rule: 'a failure stays as small as the server keeps it',
  },
  {
    file: 'activities/frame/create-activities.ts',
    find: 'explain: (error) => store.lost() ?? error,',
    replace: 'explain: (error) => error,',
    rule: 'what fails because the store is gone is a wait for the store',
    test: 'test/activities/missing-store.test.ts',
    title: 'rows whose files are gone',
  },
  {
    file: 'workers/confirm-attempt.ts',
    find: "? 'given away' : 'unreachable';",
    replace: "? 'held' : 'unreachable';",
    rule: 'an attempt that the server does not know any more is over',
    test: 'test/workers/confirm-attempt.test.ts',
  },
  {
    file: 'workers/confirm-attempt.ts',
    find: 'gone.has((error as { code?: number }).code ?? -1) ?',
    replace: 'true ?',
    rule: 'a server that cannot be reached has given nothing away',
    test: 'test/workers/confirm-attempt.test.ts',
  },
  {
    file: 'workers/confirm-attempt.ts',
    find: 'progress === undefined ? null : { payloads: [defaultPayloadConverter.toPayload(progress)] }',
    replace: 'null',
    rule: 'a confirmation keeps the progress that was reported',
    test: 'test/workers/confirm-attempt.test.ts',
  },
  {
    file: 'activities/frame/until-seen.ts',
    find: 'if (holds(seen) || performance.now() > deadline) return seen;',
    replace: 'return seen;',
    rule: 'reads that lag behind writes are read again',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'client/send.ts',
    find: "fence: endpoint.effect === 'safe' ? undefined : leaves(transport.fence, options.onLeaving),",
    replace: 'fence: undefined,',
    rule: 'no call with an effect leaves without having passed the fence',
    test: 'test/activities/frame.test.ts',
  },
  {
    file: 'config/kept-closings.ts',
    find: 'Math.min(mark.ms, mark.until - Date.now())',
    replace: '(mark.until - Date.now())',
    rule: 'a wall clock that was set back closes nothing for longer than was asked',
    test: 'test/config/kept-closings.test.ts',
  },
  {
    file: 'config/kept-closings.ts',
    find: 'mark.boot !== undefined && mark.boot === boot ? mark.at :',
    replace: '',
    rule: 'within one boot the wall clock opens nothing',
    test: 'test/config/kept-closings.test.ts',
  },
  {
    file: 'config/kept-closings.ts',
    find: '      remove(name);\n    }',
    replace: '      rmSync(join(place, name), { force: true });\n    }',
    rule: 'a closing that cannot be removed when it is over ends no process',
    test: 'test/config/kept-closings.test.ts',
    title: 'ends nothing',
  },
  {
    file: 'activities/frame/in-batches.ts',
    find: 'if (batch.length === 1 || !isTooMuch(error)) throw error;',
    replace: 'if (batch.length === 1) throw error;',
    rule: 'only a call that names too much is halved',
    test: 'test/activities/in-batches.test.ts',
  },
  {
    file: 'activities/frame/waking-clock.ts',
    find: 'slept = Math.max(slept, waking() - started - now);',
    replace: '',
    rule: 'the time for which the machine slept counts against the confirmation of an attempt',
    test: 'test/activities/waking-clock.test.ts',
  },
  {
    file: 'activities/frame/waking-clock.ts',
    find: 'apart = wall() - now;',
    replace: '',
    rule: 'a clock of the machine that was set once does not make every fence dear',
    test: 'test/activities/waking-clock.test.ts',
  },
];
