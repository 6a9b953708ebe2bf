import type { Mutant } from './mutant.ts';

const download = 'test/landing/download.test.ts';
const reach = 'test/landing/reach.test.ts';

/** Mutants of fetching files from elsewhere. */
export const landing: readonly Mutant[] = [
  {
    file: 'landing/download.ts',
    find: "{ range: `bytes=${part.bytes}-`, 'if-match': tag }",
    replace: "{ 'if-match': tag }",
    rule: 'a file that breaks off is gone on with from the byte where it stopped',
    test: download,
    title: 'breaks off twenty times',
  },
  {
    file: 'landing/download.ts',
    find: 'status === 412 || (file && status !== 416 && !isSame(version, file.version))',
    replace: 'status === 412',
    rule: 'a file is replaced where another version is sent in spite of If-Match',
    test: download,
    title: 'in spite of If-Match',
  },
  {
    file: 'landing/download.ts',
    find: '    await stillThere(asking, file.version, place);\n',
    replace: '',
    rule: 'a file that was replaced within one answer is refused',
    test: download,
    title: 'without a word',
  },
  {
    file: 'landing/download.ts',
    find: 'let skip = answer.status === 200 ? part.bytes : 0;',
    replace: 'let skip = 0;',
    rule: 'what a server without ranges sends again is taken once',
    test: download,
    title: 'without ranges',
  },
  {
    file: 'landing/request.ts',
    find: 'url.origin === target.url.origin ? await target.headers() : {}',
    replace: 'await target.headers()',
    rule: 'headers of a source go to no other host that it redirects to',
    test: download,
    title: 'secrets go to the host',
  },
  {
    file: 'landing/request.ts',
    find: 'const addresses = await checkedAddresses(url, door);',
    replace: 'const addresses = await checkedAddresses(url, { ...door, allow: [...door.allow, url.host] });',
    rule: 'no address that is not public is connected to',
    test: reach,
    title: 'no spelling of an address',
  },
  {
    file: 'landing/public-address.ts',
    find: 'if (inner !== undefined) return isPublic(inner);',
    replace: 'if (inner !== undefined) return true;',
    rule: 'an address that carries one of a private network is not public',
    test: reach,
    title: 'is public',
  },
  {
    file: 'landing/landing.ts',
    find: 'known: there ? known!.version : undefined,',
    replace: 'known: undefined,',
    rule: 'what is here already is not fetched again',
    test: download,
    title: 'asked about and not fetched again',
  },
  {
    file: 'landing/download.ts',
    find: '    else await file?.part.mark();\n',
    replace: '',
    rule: 'an attempt that was given up is gone on with by the next',
    test: download,
    title: 'gone on with by the next',
  },
  {
    file: 'landing/ask.ts',
    find: 'if (status === 429 || (status >= 500 && waitMs !== undefined))',
    replace: 'if (status === 429)',
    rule: 'a server that asks to wait is waited for',
    test: download,
    title: 'a server that answers',
  },
];
