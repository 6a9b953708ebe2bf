import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFiles } from '../../dev/watch-files.ts';
import { temporaryFolder, until } from './support.ts';

const stepsIn = (root: string): string[] => {
  try {
    return readdirSync(join(root, 'steps'), { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.mts'))
      .map((name) => join(root, 'steps', name));
  } catch {
    return [];
  }
};

const watching = async (root: string, patterns: readonly string[] = ['steps/*.mts']) => {
  const seen = { changes: 0, looks: 0 };
  const watcher = await watchFiles({
    root,
    patterns: async () => patterns,
    files: async () => {
      seen.looks++;
      return [join(root, 'portolan.config.mts'), ...stepsIn(root)];
    },
    changed: () => seen.changes++,
  });
  onTestFinished(() => watcher.close());
  return seen;
};

test('a folder made later, a new, a changed and a removed file are each one change', async () => {
  const root = temporaryFolder();
  const seen = await watching(root);
  mkdirSync(join(root, 'steps'));
  writeFileSync(join(root, 'steps/a.mts'), 'one');
  await until(() => seen.changes === 1, 'the new file is seen');
  writeFileSync(join(root, 'steps/a.mts'), 'another');
  await until(() => seen.changes === 2, 'the change is seen');
  rmSync(join(root, 'steps/a.mts'));
  await until(() => seen.changes === 3, 'the removal is seen');
  writeFileSync(join(root, 'portolan.config.mts'), 'export default {}');
  await until(() => seen.changes === 4, 'the configuration is seen');
});

test('many writes at once are one change, and other files none', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'steps'));
  const seen = await watching(root);
  const { looks } = seen;
  writeFileSync(join(root, 'steps/note.md'), 'x');
  writeFileSync(join(root, 'data.json'), 'x');
  await until(() => seen.looks > looks + 1, 'other files are looked at');
  expect(seen.changes).toBe(0);
  for (let i = 0; i < 20; i++) writeFileSync(join(root, 'steps/a.mts'), 'x'.repeat(i + 1));
  await until(() => seen.changes > 0, 'the file is seen');
  writeFileSync(join(root, 'steps/b.mts'), 'x');
  await until(() => seen.changes > 1, 'the next file is seen');
  expect(seen.changes).toBe(2);
});

test('folders that the configuration names later are watched from then on', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'steps'));
  const patterns: string[] = [];
  const seen = await watching(root, patterns);
  patterns.push('steps/*.mts');
  writeFileSync(join(root, 'portolan.config.mts'), 'export default {}');
  await until(() => seen.changes === 1, 'the configuration is seen');
  writeFileSync(join(root, 'steps/a.mts'), 'one');
  await until(() => seen.changes === 2, 'the step is seen');
});

test('a file in a folder below is watched, and one in a folder that comes later', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'steps/a'), { recursive: true });
  writeFileSync(join(root, 'steps/a/x.mts'), 'one');
  const seen = await watching(root, ['steps/**/*.mts']);
  writeFileSync(join(root, 'steps/a/x.mts'), 'another');
  await until(() => seen.changes === 1, 'the change is seen');
  const { looks } = seen;
  mkdirSync(join(root, 'steps/b'));
  await until(() => seen.looks > looks + 1, 'the folder is looked at');
  writeFileSync(join(root, 'steps/b/y.mts'), 'one');
  await until(() => seen.changes === 2, 'the new file is seen');
});

test('a folder above is watched, whatever begins with a dot', async () => {
  const above = temporaryFolder();
  const root = join(above, 'project');
  mkdirSync(join(above, 'shared/a'), { recursive: true });
  mkdirSync(root);
  const file = join(above, 'shared/a/x.mts');
  writeFileSync(file, 'one');
  let changes = 0;
  const files = async () => (existsSync(file) ? [file] : []);
  rmSync(file);
  const watcher = await watchFiles({ root, patterns: async () => ['../shared/*/*.mts'], files, changed: () => changes++ });
  onTestFinished(() => watcher.close());
  writeFileSync(file, 'another');
  await until(() => changes === 1, 'the file is seen');
});

test('a folder that may not be read keeps no other from being watched', async () => {
  const root = temporaryFolder();
  for (const folder of ['closed', 'steps']) mkdirSync(join(root, folder));
  chmodSync(root, 0o777);
  chmodSync(join(root, 'closed'), 0);
  const isRoot = process.getuid!() === 0;
  onTestFinished(() => {
    if (isRoot) process.seteuid!(0);
    chmodSync(join(root, 'closed'), 0o700);
  });
  // Whoever may do anything is refused nothing.
  if (isRoot) process.seteuid!(65_534);
  const seen = await watching(root, ['closed/*.mts', 'steps/*.mts']);
  if (isRoot) process.seteuid!(0);
  writeFileSync(join(root, 'steps/a.mts'), 'one');
  await until(() => seen.changes === 1, 'the new file is seen');
});

test('a folder that is removed and made anew is watched again', async () => {
  const root = temporaryFolder();
  const file = join(root, 'steps/a.mts');
  mkdirSync(join(root, 'steps'));
  writeFileSync(file, 'one');
  const seen = await watching(root);
  rmSync(join(root, 'steps'), { recursive: true });
  mkdirSync(join(root, 'steps'));
  writeFileSync(file, 'another');
  await until(() => seen.changes === 1, 'the new folder is seen');
  writeFileSync(file, 'a third one');
  await until(() => seen.changes === 2, 'the change in it is seen');
});
