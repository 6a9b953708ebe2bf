import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importRules } from '../../scripts/import-rules.ts';
import { builtFolders, copiedFiles, root, wrongNode } from '../../scripts/sources.mjs';

test('the folders that are hashed, compiled and checked are the same', () => {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as { include: string[] };
  expect(include).toEqual(['index.ts', ...builtFolders.map((folder) => `${folder}/**/*.ts`)]);
  expect(Object.keys(importRules).toSorted()).toEqual(builtFolders);
});

test('another Node than the pinned one is refused with the remedy', () => {
  expect(wrongNode('20.20.2')).toMatch(/Node 20\.20\.2.*npm/);
  expect(wrongNode('24.1.0')).toBeUndefined();
});

test('ARCHITECTURE.md names in the row of each folder what its rule allows', () => {
  const rows = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n');
  for (const [folder, { folders, never = [] }] of Object.entries(importRules)) {
    const cells = rows.find((row) => row.startsWith(`| \`${folder}/\` |`))?.split(' | ') ?? [];
    const named = cells.at(-1)?.match(/\b[a-z]+(?:\/[\w-]+\.ts)?\b/g) ?? [];
    expect(named, folder).toEqual(expect.arrayContaining([...(folders === '*' ? never : folders)]));
  }
});

test('the texts of the codes that come with the service are copied beside its code', () => {
  expect(copiedFiles()).toContain('service/engine/codes/sample/harborland/building/2024.md');
  expect(copiedFiles().filter((file) => file.endsWith('.ts') || file === 'package.json')).toEqual([]);
});
