import { posix } from 'node:path';
import type { ImportRule } from './import-rules.ts';
import { readModule, type ModuleImport } from './module-imports.ts';

export type Violation = { file: string; line: number; rule: string };
export type Tree = {
  /** Sources by path relative to the root, `/` between folders. */
  files: ReadonlyMap<string, string>;
  rules: Readonly<Record<string, ImportRule>>;
  /** Packages that a user's install has. */
  dependencies: readonly string[];
  /** Packages that it may lack: by `import()` only. */
  optional: readonly string[];
};

/** Every import that breaks the table, in the order of the files. */
export const checkImports = (tree: Tree): Violation[] => {
  const modules = new Map([...tree.files].map(([file, source]) => [file, readModule(source)]));
  const violations: Violation[] = [];
  for (const [file, { imports, env }] of modules) {
    const rule = tree.rules[folderOf(file)];
    if (!rule) continue;
    if (env !== undefined && !rule.env)
      violations.push({
        file,
        line: env,
        rule: 'process.env is read in config, workers, cli and dev only: take the setting as an argument',
      });
    for (const entry of imports) {
      const broken = brokenRule(file, entry, rule, tree);
      if (broken) violations.push({ file, line: entry.line, rule: broken });
    }
    if (rule.sandbox) violations.push(...leaks(file, modules, rule));
  }
  return violations;
};

const brokenRule = (
  file: string,
  { specifier, dynamic }: ModuleImport,
  rule: ImportRule,
  { dependencies, optional }: Tree,
): string | undefined => {
  const from = folderOf(file);
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier);
    const to = folderOf(target);
    if (to === from) return undefined;
    if (rule.folders === '*' ? !rule.never?.includes(to) : rule.folders.includes(to) || rule.folders.includes(target)) return undefined;
    return `${from}/ may not import ${to}/ by value (a type: \`import type\`)`;
  }
  if (specifier.startsWith('node:')) return rule.packages ? `${from}/ may not import ${specifier}` : undefined;
  const name = packageOf(specifier);
  if (rule.packages) return rule.packages.includes(name) ? undefined : `${from}/ may not import the package ${name}`;
  if (dependencies.includes(name)) return undefined;
  if (optional.includes(name))
    return dynamic ? undefined : `${name} is an optional peer: load it by import() and name it when it is missing`;
  return `${name} is not among the dependencies of package.json`;
};

/** What a sandboxed file reaches through files of other folders. */
const leaks = (start: string, modules: ReadonlyMap<string, { imports: ModuleImport[] }>, rule: ImportRule): Violation[] => {
  const found: Violation[] = [];
  const seen = new Set([start]);
  const queue = (modules.get(start)?.imports ?? []).map((entry) => ({ from: start, entry, line: entry.line, via: '' }));
  for (const { from, entry, line, via } of queue) {
    if (!entry.specifier.startsWith('.')) {
      if (via && !rule.packages?.includes(packageOf(entry.specifier)))
        found.push({ file: start, line, rule: `reaches ${entry.specifier}${via}: not in the sandbox` });
      continue;
    }
    const file = posix.join(posix.dirname(from), entry.specifier);
    if (seen.has(file)) continue;
    seen.add(file);
    // A file of the same folder is checked on its own.
    if (folderOf(file) === folderOf(start)) continue;
    const next = modules.get(file)?.imports ?? [];
    queue.push(...next.filter((each) => !each.dynamic).map((each) => ({ from: file, entry: each, line, via: ` through ${file}` })));
  }
  return found;
};

const folderOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '');

const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
