/**
 * Completes package-lock.json after a change of dependencies: `node scripts/complete-lock.ts [--check]`.
 * npm writes only those platforms' optional packages that its registry could name; `npm ci` of npm ≥ 11.19
 * then stops with "Missing: … from lock file". An entry needs version, `os`, `cpu` and `optional`, all of which follow
 * from what the lock says already; without an integrity npm takes the registry's own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { platformOf, type Platform } from './platform.ts';

export type LockedPackage = Partial<Platform> & {
  version?: string;
  resolved?: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  license?: string;
  optionalDependencies?: Record<string, string>;
};
export type Lock = { packages: Record<string, LockedPackage> };

/** The lock with an entry for every optional package that it mentions and with no address of a registry. Sorted as npm sorts. */
export const completeLock = (lock: Lock): { lock: Lock; added: string[] } => {
  const packages: Lock['packages'] = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    const { resolved: _address, ...rest } = entry;
    packages[path] = entry.resolved?.startsWith('http') ? rest : entry;
  }
  const added: string[] = [];
  for (const [parent, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (found(packages, parent, name)) continue;
      const platform = platformOf(name);
      if (!platform) throw new Error(`${name}, optional in ${parent}: its name says no platform; add a row to scripts/platform.ts`);
      if (!/^\d+\.\d+\.\d+\S*$/.test(version))
        throw new Error(`${name}, optional in ${parent}: '${version}' is a range; add the entry by hand`);
      const path = `node_modules/${name}`;
      packages[path] = {
        version,
        ...platform,
        ...(entry.dev ? { dev: true } : {}),
        ...(entry.license ? { license: entry.license } : {}),
        optional: true,
      };
      added.push(`${name}@${version}`);
    }
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { lock: { ...lock, packages: Object.fromEntries(sorted) }, added };
};

/** Node's own resolution: a package is looked for beside and above the one that wants it. */
const found = (packages: Lock['packages'], parent: string, name: string): boolean => {
  for (let folder = parent; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(import.meta.dirname, '..', 'package-lock.json');
  const text = readFileSync(path, 'utf8');
  const { lock, added } = completeLock(JSON.parse(text) as Lock);
  const complete = `${JSON.stringify(lock, null, 2)}\n`;
  if (complete === text) console.log('package-lock.json is complete');
  else if (process.argv.includes('--check')) {
    console.error(`package-lock.json is not complete (${added.length} packages missing): run \`node scripts/complete-lock.ts\``);
    process.exitCode = 1;
  } else {
    writeFileSync(path, complete);
    console.log(`package-lock.json: ${added.length} packages added`);
  }
}
