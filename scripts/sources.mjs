// Plain JavaScript without dependencies: these scripts run before it is known which Node runs them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Folders compiled into `dist/`. tsconfig.build.json includes the same; a test compares the two. */
export const builtFolders = [
  'activities',
  'alerts',
  'arrow',
  'child',
  'cli',
  'client',
  'config',
  'contracts',
  'dev',
  'errors',
  'files',
  'landing',
  'pipelines',
  'reach',
  'runs',
  'service',
  'store',
  'text',
  'workers',
  'workflows',
];

const buildFiles = ['index.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.ts'];

/** Every file that `dist/` depends on, relative to the root, sorted. */
export const sourceFiles = () =>
  [...builtFolders.flatMap((folder) => filesBelow(folder)), ...buildFiles.filter((file) => existsSync(join(root, file)))].sort((a, b) =>
    a < b ? -1 : 1,
  );

/** What stands beside the sources and is read at run time (YAML, data, page templates, sample codes): it keeps its place in `dist/`. */
export const copiedFiles = () =>
  sourceFiles().filter((file) => !file.endsWith('.ts') && file.includes('/') && !file.startsWith('scripts/'));

/** sha256 over names and bytes of every source file and page; `npm run build` writes it to `dist/.sources`. */
export const hashSources = () => {
  const hash = createHash('sha256');
  for (const file of [...sourceFiles(), ...siteFiles()]) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
};

/** `fresh`, `stale` or `missing`: `dist/` against the sources as they are now. */
export const distState = () => {
  const stamp = join(root, 'dist', '.sources');
  if (!existsSync(stamp)) return 'missing';
  return readFileSync(stamp, 'utf8').trim() === hashSources() ? 'fresh' : 'stale';
};

/** One line with the remedy when this is not the Node that package.json pins, else undefined. */
export const wrongNode = (version = process.versions.node) => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pinned = devDependencies.node;
  if (version.split('.')[0] === pinned.split('.')[0]) return undefined;
  const binary = join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(join(root, binary))
    ? `portolan: this is Node ${version}, the scripts need ${pinned}: start them by npm (\`npm test\`, \`npm run …\`), which puts node_modules/.bin first`
    : `portolan: this is Node ${version}, the scripts need ${pinned}, whose binary is missing: run \`npm ci\` with install scripts allowed (\`npm ci --ignore-scripts=false\`)`;
};

/** What the site of dist/site is made of, beside what the pages link to: it is built with `dist/`, and as old as it. */
const siteFiles = () => [
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'CHANGELOG.md',
  'SECURITY.md',
  ...filesBelow('scripts/pages/site'),
];

const filesBelow = (folder) => {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(path);
    return /\.(ts|yaml|json|html|css|js|md)$/.test(entry.name) ? [path] : [];
  });
};
