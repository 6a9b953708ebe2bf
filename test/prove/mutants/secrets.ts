import type { Mutant } from './mutant.ts';

const sink = { file: 'client/secret-sink.ts', test: 'test/client/secret-sink.test.ts' } as const;
const files = { file: 'config/secret-files.ts', test: 'test/config/secret-files.test.ts' } as const;
const fetched = { file: 'client/own-fetch.ts', test: 'test/client/own-fetch.test.ts' } as const;

/** Secrets in answers, and secrets that go out with a request. */
export const secrets: readonly Mutant[] = [
  {
    file: 'client/send.ts',
    find: 'const said = { ...read, detail: conceal(read.detail) };',
    replace: 'const said = read;',
    rule: 'a key that a refusal quotes is in no message',
    test: 'test/client/send.test.ts',
  },
  {
    ...sink,
    find: '  if (!sink)\n    throw new ContractError',
    replace: '  if (!sink) return send();\n  if (!sink)\n    throw new ContractError',
    rule: 'an operation whose answer holds a secret is not sent where nothing keeps it',
  },
  {
    ...sink,
    find: '    for (const [at, field] of fields.entries()) places.set(field, await sink.reserve(at === 0 ? name : `${name}.${field}`));\n    const result = await send();\n',
    replace:
      '    const result = await send();\n    for (const [at, field] of fields.entries()) places.set(field, await sink.reserve(at === 0 ? name : `${name}.${field}`));\n',
    rule: 'the place of a secret is reserved before the call',
  },
  {
    ...sink,
    find: 'if (!kept.has(field)) await place.giveBack();',
    replace: 'void place;',
    rule: 'the name of a secret that never came is free again',
  },
  {
    ...sink,
    find: 'if (!kept.has(field)) await place.giveBack();',
    replace: 'await place.giveBack();',
    rule: 'a secret that came stays where it was put',
  },
  {
    ...sink,
    find: 'at === 0 ? name : `${name}.${field}`',
    replace: 'name',
    rule: 'two secrets of one answer have two places',
  },
  {
    ...files,
    find: "await open(draft, 'wx', 0o600)",
    replace: "await open(draft, 'wx', 0o644)",
    rule: 'a secret is readable to its user only',
  },
  { ...files, find: 'mode: 0o700', replace: 'mode: 0o755', rule: 'the folder of secrets is open to its user only' },
  { ...files, find: 'if (!secretName.pattern.test(name)) throw', replace: 'if (false) throw', rule: 'the name of a secret is no path' },
  {
    ...files,
    find: "return isAlive(holderIn(text)) ? 'alive' : 'dead';",
    replace: "return 'alive';",
    rule: 'the name of a secret that a killed process held is free',
  },
  {
    ...files,
    find: "return isAlive(holderIn(text)) ? 'alive' : 'dead';",
    replace: "return 'dead';",
    rule: 'of two calls that name a secret alike at once one has the name',
  },
  {
    ...files,
    find: 'if (!(await writeNew(path, `${value}\\n`))) throw taken();',
    replace: 'if (!(await writeNew(path, `${value}\\n`))) return;',
    rule: 'a secret that cannot be kept is reported',
  },
  {
    ...fetched,
    find: 'if (answered) return await',
    replace: 'if (said.location !== undefined) return await fetch(said.location, { headers });\n      if (answered) return await',
    rule: 'context.fetch takes no secret to where an answer redirects',
  },
  {
    ...fetched,
    find: "if (withSecret && url.protocol === 'http:' && !onThisMachine.test(url.hostname))",
    replace: 'if (false)',
    rule: 'a secret goes over plain http to this machine only',
  },
  {
    ...fetched,
    find: "if (url.username !== '' || url.password !== '')",
    replace: 'if (false)',
    rule: 'no password stands in an address that a step fetches',
  },
  {
    ...fetched,
    find: 'fence: reads.has(method) ? undefined : fence,',
    replace: 'fence: undefined,',
    rule: 'a step whose attempt was given away sends nothing by context.fetch',
  },
  {
    ...fetched,
    find: '`fetch ${method} ${url.origin}${url.pathname}`',
    replace: '`fetch ${method} ${url.href}`',
    rule: 'no query stands in a message of context.fetch: it may hold a secret',
  },
  {
    file: 'workers/own-services.ts',
    find: "href.startsWith(prefix) && (prefix.endsWith('/') || /^(?:$|[/?#])/.test(href.slice(prefix.length)));",
    replace: 'href.startsWith(prefix);',
    rule: 'a limit of /search is none of /searches',
    test: 'test/workers/own-services.test.ts',
  },
  {
    file: 'workers/own-services.ts',
    find: '.sort((a, b) => b.href.length - a.href.length)',
    replace: '.sort((a, b) => a.href.length - b.href.length)',
    rule: 'of several limits that fit an address the longest counts',
    test: 'test/workers/own-services.test.ts',
  },
];
