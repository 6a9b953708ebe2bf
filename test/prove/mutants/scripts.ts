import type { Mutant } from './mutant.ts';

const imports = { file: 'scripts/check-imports.ts', test: 'test/scripts/check-imports.test.ts' } as const;

export const scripts: readonly Mutant[] = [
  {
    ...imports,
    find: '(type || !dynamic) &&',
    replace: '!type && !dynamic &&',
    rule: 'a circle of imports is refused though types alone close it',
  },
  {
    ...imports,
    find: '(type || !dynamic) &&',
    replace: '',
    rule: 'a table that loads by import() what imports it is no circle',
  },
  {
    ...imports,
    find: 'if (among(rule.types)) return type ?',
    replace: 'if (among(rule.types)) return type || !type ?',
    rule: 'a folder that types may come from gives no values',
  },
  {
    ...imports,
    find: 'return `${from}/ may not import ${to}/`;',
    replace: 'return type ? undefined : `${from}/ may not import ${to}/`;',
    rule: 'types keep to the table of folders like values',
  },
];
