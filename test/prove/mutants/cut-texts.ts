import type { Mutant } from './mutant.ts';

const failure = { file: 'activities/frame/failure.ts', test: 'test/activities/failure-texts.test.ts' } as const;
const concealed = 'test/client/concealed.test.ts';
const secrets = { file: 'activities/own/secrets.ts', test: 'test/activities/own-secrets.test.ts' } as const;
const exchange = { file: 'client/exchange.ts', test: 'test/client/not-sent.test.ts' } as const;
const full = 'test/store/full-disk.test.ts';

/** Texts as they are quoted, cut and kept, and what a full disk leaves of them. */
export const cutTexts: readonly Mutant[] = [
  {
    ...failure,
    find: 'message: options.message.toWellFormed() });',
    replace: 'message: options.message });',
    rule: 'a failure whose text was cut in the middle of a character ends no worker',
  },
  {
    ...failure,
    find: 'return Object.assign(error, { message: error.message.toWellFormed() });',
    replace: 'return error;',
    rule: 'a failure of its own whose text was cut in the middle of a character ends no worker',
  },
  {
    ...failure,
    find: 'nextRetryDelay: Math.min(longestMs, Math.max(floorMs,',
    replace: 'nextRetryDelay: Math.min(Infinity, Math.max(floorMs,',
    rule: 'a wait without an end ends no worker',
  },
  {
    file: 'client/wait.ts',
    find: '  error.waitMs >= 0;',
    replace: '  true;',
    rule: 'a wait of no length is none',
    test: failure.test,
  },
  {
    file: 'client/wait.ts',
    find: 'if (!(waitMs >= 0)) throw',
    replace: 'if (waitMs < 0) throw',
    rule: 'a wait of no length is refused where it is made',
    test: failure.test,
  },
  {
    file: 'text/json.ts',
    find: "typeof value === 'string' ? value.toWellFormed() : value",
    replace: 'value',
    rule: 'a result that was cut in the middle of a character is kept',
    test: 'test/activities/cut-characters.test.ts',
  },
  {
    file: 'text/quoted.ts',
    find: '      literal(encodeURIComponent(character)),\n',
    replace: '',
    rule: 'a secret is found as an address has it',
    test: 'test/text/quoted.test.ts',
  },
  {
    file: 'client/send.ts',
    find: 'body: conceal(answered.body)',
    replace: 'body: answered.body',
    rule: 'a key that a refusal quotes is in no body that is kept',
    test: concealed,
  },
  {
    file: 'client/conceal.ts',
    find: ', ...concealed.map((name) => ({ value: fields[name], as: `[${name}]` }))]',
    replace: ']',
    rule: 'what the contract conceals in an address is in no message',
    test: concealed,
  },
  {
    ...secrets,
    find: 'other.length - one.length',
    replace: 'one.length - other.length',
    rule: 'of secrets of which one begins another neither is said',
  },
  {
    ...secrets,
    find: "if (typeof text === 'string') Reflect.set",
    replace: 'if (false) Reflect.set',
    rule: 'no secret that stands in an address is in histories and events',
  },
  {
    file: 'client/exchange.ts',
    find: "...(waits && { 'retry-after': waits.join(', ') }), ",
    replace: '',
    rule: 'of times to wait that are repeated the longest counts',
    test: 'test/client/repeated-headers.test.ts',
  },
  {
    file: 'client/exchange.ts',
    find: ', ...(date && { date: date[0] })',
    replace: '',
    rule: 'a date that a gateway repeats is read',
    test: 'test/client/repeated-headers.test.ts',
  },
  {
    ...exchange,
    find: 'Object.assign(error, { unsent: true })',
    replace: 'error',
    rule: 'what failed before there was a connection was not sent',
  },
  {
    ...exchange,
    find: "'encrypted' in socket ? 'secureConnect' : 'connect'",
    replace: "'connect'",
    rule: 'a certificate that is refused has let nothing out',
  },
  {
    file: 'runs/watch.ts',
    find: 'error instanceof ServiceError && isPassing(error.cause)',
    replace: 'false',
    rule: 'a Temporal server that does not answer now ends no watch',
    test: 'test/runs/passing.test.ts',
  },
  {
    file: 'files/whole-file.ts',
    find: 'await unlink(temporary).catch(() => undefined);',
    replace: '',
    rule: 'a file that does not fit leaves nothing beside it',
    test: full,
  },
  {
    file: 'errors/system.ts',
    find: "own === 'ERR_SQLITE_ERROR' ? sqlite[(errcode ?? 0) % 256] : own",
    replace: 'own',
    rule: 'what has no room in a database is waited for',
    test: full,
  },
  {
    file: 'store/create-run-store.ts',
    find: 'const line = `\\n${JSON',
    replace: 'const line = `${JSON',
    rule: 'the first event behind a full disk is not lost',
    test: full,
  },
  {
    file: 'store/results.ts',
    find: 'Math.max(1, Math.floor((rows * passBytes) / Math.max(1, bytes)))',
    replace: 'rows',
    rule: 'results of many megabytes are read',
    test: 'test/store/large-results.test.ts',
  },
  {
    file: 'client/request.ts',
    find: 'if (/^\\.{1,2}$/.test(value)) throw',
    replace: 'if (false) throw',
    rule: 'a value that an address takes for a step in itself is refused',
    test: 'test/client/dot-paths.test.ts',
  },
];
