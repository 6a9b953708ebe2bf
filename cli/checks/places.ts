import { randomUUID } from 'node:crypto';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { liveDevFile } from '../../config/dev-file.ts';
import { secretProblem } from '../../config/named-secret.ts';
import { bytes } from '../../text/units.ts';
import { missingHere } from '../start/check-embedding.ts';
import { bad, failed, good, type Check } from './check.ts';

export const node: Check = {
  name: 'node',
  async run() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    return major > 22 || (major === 22 && minor >= 18)
      ? good(process.versions.node)
      : bad(`${process.versions.node} is too old`, 'install Node ≥ 22.18');
  },
};

export const configuration: Check = {
  name: 'config',
  needs: 'config',
  run: async ({ config }) => good(config!.file ?? `none in ${config!.root}: the defaults stand (portolan init writes one)`),
};

export const ownSteps: Check = {
  name: 'own steps',
  needs: 'config',
  async run({ config }) {
    try {
      const { projectSteps } = await import('../project/own-steps.ts');
      const steps = await projectSteps(config!);
      return good(steps.length === 0 ? 'none (portolan step new NAME)' : steps.map(({ name }) => name).join(', '));
    } catch (error) {
      return failed(error, 'correct the step’s file');
    }
  },
};

/** Of another worker's host nobody here knows: a secret that only it has is for its own `doctor`. */
export const secrets: Check = {
  name: 'secrets',
  needs: 'config',
  async run({ config }) {
    const { projectSteps } = await import('../project/own-steps.ts');
    // Steps that cannot be loaded are the finding of the check before.
    const steps = await projectSteps(config!).catch(() => []);
    const listed = new Set(steps.flatMap(({ own }) => own!.code.secrets ?? []));
    const names = listed.union(new Set(Object.keys(config!.secrets)));
    if (names.size === 0) return good('own steps need none');
    return [...names].map((name) => {
      const problem = secretProblem(config!, name);
      // What no step here lists may be for another host.
      return problem
        ? { ok: !listed.has(name), detail: problem.message, remedy: problem.remedy }
        : { ok: true, detail: `${name} can be read` };
    });
  },
};

export const embedding: Check = {
  name: 'embedding',
  needs: 'config',
  async run({ config }) {
    const missing = missingHere(config!);
    if (!missing) return good('the local service has what it embeds text with');
    const detail = `the local service lacks ${missing.packages.join(' and ')}: it embeds no text`;
    return liveDevFile(config!.dir) ? bad(detail, missing.remedy) : [{ ok: true, detail, remedy: missing.remedy }];
  },
};

const leastFree = 1e9;

export const runStore: Check = {
  name: 'run store',
  needs: 'config',
  async run({ config }) {
    const folder = config!.store;
    const probe = join(folder, `.doctor-${randomUUID()}`);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(probe, 'probe', { flush: true });
      await rm(probe);
    } catch (error) {
      return failed(error, `let this user write to ${folder}, or name another folder: store in portolan.config.mts`);
    }
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    return free < leastFree
      ? bad(
          `${folder} is writable, but only ${bytes(free)} are free`,
          'free some space, or name another folder: store in portolan.config.mts',
        )
      : good(`${folder} is writable, ${bytes(free)} free`);
  },
};
