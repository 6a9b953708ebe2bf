import type { Mutant } from './mutant.ts';

const intents = { file: 'store/intents.ts', test: 'test/store/intents.test.ts' } as const;
const system = { file: 'errors/system.ts', test: 'test/errors/system.test.ts' } as const;

export const store: readonly Mutant[] = [
  { ...intents, find: '      await journal.durable();\n', replace: '', rule: 'an intent is on the disk before its call may be sent' },
  { ...intents, find: 'take(writer, line);', replace: '', rule: 'an attempt knows what it wrote itself' },
  {
    ...intents,
    find: 'return [...files, ...ofOthers];',
    replace: 'return files;',
    rule: 'what an attempt takes back of earlier ones holds whichever file is read first',
  },
  { ...intents, find: 'what.filter((each) => each !== name)', replace: 'what', rule: 'what was taken back can be begun anew' },
  { ...intents, find: 'lines += `\\n${line}\\n`;', replace: 'lines += line;', rule: 'a line begins on its own' },
  { ...intents, find: 'if (results.has(call)) return', replace: 'if (false) return', rule: 'what ended is known with its result' },
];

export const errors: readonly Mutant[] = [
  { ...system, find: "error.name === 'Error' ?", replace: 'true ?', rule: 'the words of a service or a file say nothing about this host' },
  {
    ...system,
    find: "  EMFILE: { resource: 'files', says: 'this process has too many files open' },\n",
    replace: '',
    rule: 'too many open files is waited for',
  },
];
