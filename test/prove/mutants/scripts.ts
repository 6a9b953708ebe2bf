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
  {
    file: 'scripts/pages/site/site.ts',
    find: 'files.includes(path) ? htmlName(path) : `files/${basename(path)}`',
    replace: '`files/${basename(path)}`',
    rule: 'a link from page to page leads to the page of the site',
    test: 'test/scripts/site.test.ts',
  },
  {
    file: 'scripts/pages/site/markdown.ts',
    find: 'return times === 0 ? slug : `${slug}-${times}`;',
    replace: 'return slug;',
    rule: 'headings of one text have different ids',
    test: 'test/scripts/site.test.ts',
  },
  {
    file: 'scripts/pages/site/browser/rank.js',
    find: 'const named = section.heading.toLowerCase() === whole ? 100 : 0;',
    replace: 'const named = 0;',
    rule: 'the search puts the heading that is asked for first',
    test: 'test/scripts/site.test.ts',
  },
  {
    file: 'scripts/pages/site/browser/rank.js',
    find: 'score: each.includes(0) ? 0 : each',
    replace: 'score: each',
    rule: 'what the search finds holds every word',
    test: 'test/scripts/site.test.ts',
  },
  {
    file: 'scripts/pages/site/fence.ts',
    find: 'if (value === undefined ? !flags.has(name) : !valued.has(name))',
    replace: 'if (value === undefined && name === "")',
    rule: 'a code block that says what nobody knows is refused',
    test: 'test/scripts/page-commands.test.ts',
  },
  {
    file: 'test/support/pages/compare.ts',
    find: 'return free || at === found.length ? undefined',
    replace: 'return free || at <= found.length ? undefined',
    rule: 'what a command prints beyond what its page shows is noticed',
    test: 'test/scripts/page-commands.test.ts',
  },
  {
    file: 'scripts/spec/facts.ts',
    find: "flatMap(({ segment }) => dividedAt(';', segment))",
    replace: 'map(({ segment }) => segment.trim())',
    rule: 'rules of a text that a semicolon divides are statements of their own',
    test: 'test/scripts/statements.test.ts',
  },
  {
    file: 'scripts/spec/statements.ts',
    find: 'update(statement)',
    replace: 'update(statement.slice(0, 40))',
    rule: 'a statement that changes anywhere changes its hash',
    test: 'test/scripts/statements.test.ts',
  },
  {
    file: 'scripts/spec/statements.ts',
    find: 'if (known.has(id)) throw',
    replace: 'if (known.has(id) && text === statement) throw',
    rule: 'no id of a text stands for two statements',
    test: 'test/scripts/statements.test.ts',
  },
  {
    file: 'scripts/spec/known.ts',
    find: "(kind === 'status' && id === `${about}#${operations[operation].status}`)",
    replace: "kind === 'status'",
    rule: 'a refusal is not shown by the success of its operation',
    test: 'test/scripts/proofs.test.ts',
  },
  {
    file: 'scripts/spec/proofs.ts',
    find: 'mostIds = 3;',
    replace: 'mostIds = 4;',
    rule: 'a test names at most three statements',
    test: 'test/scripts/proofs.test.ts',
  },
  {
    file: 'test/spec/rows/missing.ts',
    find: 'sent.slice(first + 1)',
    replace: 'sent',
    rule: 'an effect is read back after the operation',
    test: 'test/spec/rows.test.ts',
  },
];
