import type { Mutant } from './mutant.ts';

const once = { file: 'activities/effects/send-once.ts', test: 'test/activities/send-once.test.ts' } as const;
const fence = { file: 'activities/frame/fence.ts', test: 'test/activities/fence.test.ts' } as const;

export const activities: readonly Mutant[] = [
  {
    ...once,
    find: "if (known.is === 'done') return",
    replace: 'if (false) return',
    rule: 'what ended is not sent again by a later attempt',
  },
  {
    ...once,
    find: "if (known.is === 'open') {",
    replace: "if (known.is === 'done') {",
    rule: 'an open intent of an earlier attempt is looked up before anything is sent',
  },
  {
    ...once,
    find: 'if (!isAmbiguous(error)) throw error;',
    replace: 'throw error;',
    rule: 'an answer that was lost is looked up in the same attempt',
  },
  {
    ...once,
    find: 'await intents.begin(key, { operation: call.operation, before });',
    replace: 'void intents.begin(key, { operation: call.operation, before: [] });',
    rule: 'what was there before the call is kept with its intent, before it is sent',
  },
  {
    ...once,
    find: 'if (hadNoEffect(error) && context.effectsSent() - sent <= 1)',
    replace: 'if (hadNoEffect(error))',
    rule: 'of several calls in one intent, a refusal of the last takes nothing back',
  },
  {
    ...once,
    find: 'if (hadNoEffect(error) && context.effectsSent() - sent <= 1)',
    replace: 'if (false)',
    rule: 'a refusal or a wait takes the intent back',
  },
  {
    ...once,
    find: 'error.status! >= 400 && error.status! < 500',
    replace: 'error.status! >= 200',
    rule: 'a 202 or a 500 with Retry-After does not say that nothing happened',
  },
  {
    ...once,
    find: '!error.retryable && error.status < 500',
    replace: '!error.retryable',
    rule: 'a 5xx of any kind leaves open whether it happened',
  },
  {
    ...once,
    find: 'for (const settled of [false, true]) {',
    replace: 'for (const settled of [true]) {',
    rule: 'an effect is looked for before and after the time in which it can land',
  },
  {
    ...once,
    find: "if (!call.lookup) throw undecided('nothing can be looked up');",
    replace: 'if (!call.lookup) return undefined;',
    rule: 'what cannot be looked up is for a person',
  },
  {
    ...once,
    find: "if ('unknown' in found) throw undecided(found.unknown);",
    replace: "if ('unknown' in found) return undefined;",
    rule: 'a look-up that cannot tell is for a person',
  },
  {
    ...once,
    find: 'update(canonical(input as Json))',
    replace: "update('')",
    rule: 'another input is another call',
  },
  { ...fence, find: 'const freshMs = 2_000;', replace: 'const freshMs = 5_000;', rule: 'a confirmation is good for 2 s' },
  {
    ...fence,
    find: 'return void (confirmedAt = asked);',
    replace: 'return void (confirmedAt = clock());',
    rule: 'a confirmation counts from before the question',
  },
  {
    ...fence,
    find: 'let confirmedAt = -Infinity;',
    replace: 'let confirmedAt = clock();',
    rule: 'the first effect of an attempt is confirmed',
  },
  {
    ...fence,
    find: 'if (now > begun + attemptMs - endMarginMs)',
    replace: 'if (now > begun + attemptMs)',
    rule: 'nothing is sent in the last second of an attempt',
  },
  {
    ...fence,
    find: "if (standing === 'given away') end('the server has given it away');",
    replace: '',
    rule: 'an attempt that was given away sends nothing',
  },
  { ...fence, find: 'if (ended) throw ended;', replace: '', rule: 'an attempt that is over stays over' },
  { ...fence, find: '    over(ended);\n', replace: '', rule: 'an attempt that is over gives up all that it does' },
  { ...fence, find: '      signal.throwIfAborted();\n', replace: '', rule: 'a cancelled attempt sends nothing' },
];
