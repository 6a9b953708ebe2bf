/** Checks the import rules over the tree: `node scripts/imports.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkImports } from './check-imports.ts';
import { importRules } from './import-rules.ts';
import { root, sourceFiles } from './sources.mjs';

const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>;
const sources = sourceFiles().filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && file.includes('/') && !file.startsWith('scripts/'),
);

const violations = checkImports({
  files: new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')])),
  rules: importRules,
  dependencies: Object.keys(dependencies ?? {}),
  optional: Object.keys(peerDependencies ?? {}),
});
for (const { file, line, rule } of violations) console.log(`${file}:${line}  ${rule}`);
if (violations.length > 0) process.exitCode = 1;
console.log(
  violations.length > 0 ? `${violations.length} violations of the import rules` : `import rules hold over ${sources.length} files`,
);
