import { posix } from 'node:path';
import { importCircles } from './import-circles.ts';
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

/** Every import that breaks the table, in the order of the files, then every circle among them. */
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
  return [...violations, ...circles(modules)];
};

type Modules = ReadonlyMap<string, { imports: ModuleImport[] }>;

/**
 * Imports of types count: files that name each other cannot be understood or changed one at a time. `import()` does not: it is
 * how a table names what is loaded only when it is used.
 */
const circles = (modules: Modules): Violation[] => {
  const targets = (file: string, imports: readonly ModuleImport[]): string[] =>
    imports
      .filter(({ specifier, dynamic, type }) => (type || !dynamic) && specifier.startsWith('.'))
      .map(({ specifier }) => targetOf(file, specifier));
  const graph = new Map([...modules].map(([file, { imports }]) => [file, targets(file, imports)]));
  return importCircles(graph).map(([file, next, ...way]) => ({
    file: file!,
    line: modules.get(file!)!.imports.find(({ specifier }) => targetOf(file!, specifier) === next)!.line,
    rule: `a circle of imports: ${[file, next, ...way].join(' → ')}; move what both ends need into a file of its own below them`,
  }));
};

const targetOf = (file: string, specifier: string): string => posix.join(posix.dirname(file), specifier);

const brokenRule = (
  file: string,
  { specifier, dynamic, type }: ModuleImport,
  rule: ImportRule,
  { dependencies, optional }: Tree,
): string | undefined => {
  const from = folderOf(file);
  if (specifier.startsWith('.')) {
    const target = targetOf(file, specifier);
    const to = folderOf(target);
    if (to === from) return undefined;
    const among = (places: readonly string[] = []): boolean => places.includes(to) || places.includes(target);
    if (rule.folders === '*' ? !among(rule.never) : among(rule.folders)) return undefined;
    if (among(rule.types)) return type ? undefined : `${from}/ may import types alone from ${to}/: \`import type\``;
    return `${from}/ may not import ${to}/`;
  }
  // Types of packages leave no trace at run time, and an install without them compiles nothing.
  if (type) return undefined;
  if (specifier.startsWith('node:')) return rule.packages ? `${from}/ may not import ${specifier}` : undefined;
  const name = packageOf(specifier);
  if (rule.packages) return rule.packages.includes(name) ? undefined : `${from}/ may not import the package ${name}`;
  if (dependencies.includes(name)) return undefined;
  if (optional.includes(name))
    return dynamic ? undefined : `${name} is an optional peer: load it by import() and name it when it is missing`;
  return `${name} is not among the dependencies of package.json`;
};

/** What a sandboxed file reaches through files of other folders. */
const leaks = (start: string, modules: Modules, rule: ImportRule): Violation[] => {
  const found: Violation[] = [];
  const seen = new Set([start]);
  const queue = (modules.get(start)?.imports ?? [])
    .filter(({ type }) => !type)
    .map((entry) => ({ from: start, entry, line: entry.line, via: '' }));
  for (const { from, entry, line, via } of queue) {
    if (!entry.specifier.startsWith('.')) {
      if (via && !rule.packages?.includes(packageOf(entry.specifier)))
        found.push({ file: start, line, rule: `reaches ${entry.specifier}${via}: not in the sandbox` });
      continue;
    }
    const file = targetOf(from, entry.specifier);
    if (seen.has(file)) continue;
    seen.add(file);
    // A file of the same folder is checked on its own.
    if (folderOf(file) === folderOf(start)) continue;
    const next = modules.get(file)?.imports ?? [];
    queue.push(
      ...next.filter(({ dynamic, type }) => !dynamic && !type).map((each) => ({ from: file, entry: each, line, via: ` through ${file}` })),
    );
  }
  return found;
};

const folderOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '');

const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
