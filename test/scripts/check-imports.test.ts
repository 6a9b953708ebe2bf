import { describe, expect, test } from 'vitest';
import { checkImports } from '../../scripts/check-imports.ts';
import { importRules } from '../../scripts/import-rules.ts';

const check = (files: Record<string, string>) =>
  checkImports({
    files: new Map(Object.entries(files)),
    rules: importRules,
    dependencies: ['hono', 'zod'],
    optional: ['@energetic-ai/embeddings'],
  });

const planted: [string, Record<string, string>, string | undefined][] = [
  ['a value import against the table', { 'client/a.ts': `import { x } from '../activities/x.ts';` }, 'client/ may not import activities/'],
  ['the same as a type', { 'client/a.ts': `import type { x } from '../activities/x.ts';` }, 'client/ may not import activities/'],
  ['a type from where types may come', { 'pipelines/a.ts': `import type { x } from '../client/x.ts';` }, undefined],
  ['a value from there', { 'pipelines/a.ts': `import { x } from '../client/x.ts';` }, 'pipelines/ may import types alone from client/'],
  ['a type of a package', { 'contracts/a.ts': `import type { x } from 'hono';` }, undefined],
  [
    'two files that import each other',
    { 'client/a.ts': `import { b } from './b.ts';`, 'client/b.ts': `import { a } from './a.ts';` },
    'a circle of imports: client/a.ts → client/b.ts → client/a.ts',
  ],
  [
    'a circle that is one of types',
    {
      'client/a.ts': `import { b } from './b.ts';`,
      'client/b.ts': `import type { C } from './c.ts';`,
      'client/c.ts': `export type C = import('./a.ts').A;`,
    },
    'a circle of imports: client/a.ts → client/b.ts → client/c.ts → client/a.ts',
  ],
  [
    'a table that loads by import() what imports it',
    { 'cli/a.ts': `export const load = () => import('./b.ts');`, 'cli/b.ts': `import { load } from './a.ts';` },
    undefined,
  ],
  [
    'a file above a circle',
    {
      'cli/a.ts': `import './b.ts';`,
      'cli/b.ts': `import './c.ts';`,
      'cli/c.ts': `import './b.ts';`,
    },
    'a circle of imports: cli/b.ts → cli/c.ts → cli/b.ts',
  ],
  ['a re-export against the table', { 'contracts/a.ts': `export { x } from '../client/x.ts';` }, 'contracts/ may not import client/'],
  [
    'an import over several lines',
    { 'store/a.ts': `import {\n  x,\n  y as z,\n} from '../client/x.ts';` },
    'store/ may not import client/',
  ],
  ['an import for its effect', { 'store/a.ts': `import '../client/x.ts';` }, 'store/ may not import client/'],
  ['import() against the table', { 'runs/a.ts': `const x = await import('../activities/x.ts');` }, 'runs/ may not import activities/'],
  [
    'import() of an activity by a step',
    { 'pipelines/steps/a.ts': `const a = () => import('../../activities/a.ts');` },
    'pipelines/ may not import activities/',
  ],
  ['a Node built-in in contracts', { 'contracts/a.ts': `import { join } from 'node:path';` }, 'contracts/ may not import node:path'],
  ['a Node built-in in a workflow', { 'workflows/a.ts': `import { join } from 'node:path';` }, 'workflows/ may not import node:path'],
  ['zod in a workflow', { 'workflows/a.ts': `import { z } from 'zod';` }, 'the package zod'],
  [
    'zod in a workflow through two files',
    { 'workflows/a.ts': `import '../pipelines/b.ts';`, 'pipelines/b.ts': `import './c.ts';`, 'pipelines/c.ts': `import 'zod';` },
    'reaches zod through pipelines/c.ts',
  ],
  ['a package that is not declared', { 'service/a.ts': `import express from 'express';` }, 'express is not among the dependencies'],
  ['a subpath of a declared package', { 'service/a.ts': `import { cors } from 'hono/cors';` }, undefined],
  ['an optional peer, static', { 'service/a.ts': `import { x } from '@energetic-ai/embeddings';` }, 'optional peer'],
  ['an optional peer by import()', { 'service/a.ts': `const x = await import('@energetic-ai/embeddings');` }, undefined],
  ['process.env outside its folders', { 'service/a.ts': `const port = process.env.PORT;` }, 'process.env'],
  ['process.env in config', { 'config/a.ts': `const port = process.env.PORT;` }, undefined],
  ['one file allowed, its folder not', { 'workers/a.ts': `import { m } from '../workflows/messages.ts';` }, undefined],
  ['another file of that folder', { 'workers/a.ts': `import { m } from '../workflows/index.ts';` }, 'workers/ may not import workflows/'],
];

describe('import rules', () => {
  test.each(planted)('%s', (_what, files, expected) => {
    const found = check(files).map(({ rule }) => rule);
    if (expected === undefined) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringContaining(expected)]);
  });

  test('comments, strings and templates import nothing', () => {
    const source = [
      `// import '../client/a.ts'`,
      '/* process.env.X */',
      'const t = `',
      `import x from '../client/a.ts';`,
      '`;',
      `const s = "import('../client/a.ts')";`,
    ];
    expect(check({ 'store/a.ts': source.join('\n') })).toEqual([]);
  });

  test('names the line', () => {
    expect(check({ 'store/a.ts': `import type { T } from './t.ts';\n\nimport { x } from '../client/x.ts';` })).toMatchObject([
      { file: 'store/a.ts', line: 3 },
    ]);
  });
});
