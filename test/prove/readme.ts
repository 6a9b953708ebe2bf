import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../../scripts/sources.mjs';
import { line, type Line, type Proof } from './proof.ts';
import { installNode, megabytes, shell, type Ended } from './support-node.ts';

/** One npm of each Node runs the tests; the other one is to install the same, so that they would be the same tests of the same. */
const machines = [
  { node: '20', npm: '10', tests: true },
  { node: '20', npm: '11', tests: false },
  { node: '24', npm: '11', tests: false },
  { node: '24', npm: '12', tests: true },
];

export const proof: Proof = {
  name: 'readme',
  sets: ['shape'],
  what: 'both commands of the README in fresh clones, with empty caches and no temporal on the path, by Node 20 and 24 and npm 10, 11 and 12',
  async run({ note, only = '' }) {
    const temporary = await mkdtemp(join(tmpdir(), 'portolan-readme-'));
    const lines: Line[] = [];
    // All of it takes over an hour: what is known is shown at once.
    const add = (each: Line): void => {
      lines.push(each);
      note(`${each.what}: ${each.figure}`);
    };
    const trees = new Map<string, string[]>();
    const chosen = machines.filter((machine) => nameOf(machine).includes(only));
    try {
      for (const machine of chosen) {
        const name = nameOf(machine);
        const fresh = await freshMachine(temporary, machine);
        const demo = await fresh('npm ci && npm run demo');
        const journal = /journal +(.*)/.exec(demo.stdout)?.[1] ?? tail(demo);
        const clean = /, 0 repeated|· 0 repeated/.test(journal) && / 0 calls before their Retry-After/.test(journal);
        const struck = /killed the worker/.test(demo.stdout) && !/never struck/.test(demo.stdout);
        add(
          line(
            `${name}: npm ci && npm run demo`,
            `exit ${demo.code}, ${demo.seconds.toFixed(0)} s, ${journal}`,
            'exit 0, worker killed, 0 repeated, 0 early',
            demo.code === 0 && clean && struck,
          ),
        );
        const again = await fresh('npm run demo');
        const nothing = /journal +0 effects sent/.test(again.stdout);
        add(
          line(
            `${name}: npm run demo again`,
            `exit ${again.code}, ${again.seconds.toFixed(1)} s, ${nothing ? 'no writing call' : tail(again)}`,
            'exit 0, no writing call',
            again.code === 0 && nothing,
          ),
        );
        await fresh("sed -i '0,/an adult person who is male/s//a grown person who is male/' data/words.json");
        const changed = await fresh('npm run demo');
        const four = /journal +4 effects sent · 0 repeated/.test(changed.stdout) && / 1 replaced /.test(changed.stdout);
        add(
          line(
            `${name}: npm run demo with one changed record`,
            `exit ${changed.code}, ${four ? 'one record replaced, 4 effects, 0 repeated' : tail(changed)}`,
            'exit 0: one deletion, one addition, each with an update of the map',
            changed.code === 0 && four,
          ),
        );
        await fresh('npx portolan dev --stop');
        const tree = await fresh.tree();
        const other = trees.get(machine.node);
        trees.set(machine.node, tree);
        const unlike = other && differences(tree, other);
        add(
          line(
            `${name}: npm ci`,
            `${tree.length} packages${other ? `, ${unlike} other than by the other npm of this Node` : ''}`,
            `more than 100${other ? ', 0 other' : ''}`,
            tree.length > 100 && !unlike,
          ),
        );
        if (machine.tests) {
          const test = await fresh('npm ci && npm test');
          const counted = /^\d+ passed, \d+ failed$/m.exec(test.stdout)?.[0] ?? tail(test);
          for (const failed of failedIn(test)) note(`${name}: ${failed}`);
          add(
            line(`${name}: npm ci && npm test`, `exit ${test.code}, ${test.seconds.toFixed(0)} s, ${counted}`, 'exit 0', test.code === 0),
          );
        }
        note(`${name}: node_modules has ${await fresh.size()} MB`);
        if (machine === chosen.at(-1)) for (const each of await controls(fresh)) add(each);
        await fresh.remove();
      }
      return lines;
    } finally {
      await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};

/** The tests that failed, by file and title, as the runner names them. */
const failedIn = ({ stdout, stderr }: Ended): string[] => [
  ...new Set(
    stripVTControlCharacters(stdout + stderr)
      .match(/^ *FAIL .*$/gm)
      ?.map((each) => each.trim()),
  ),
];

const nameOf = ({ node, npm }: (typeof machines)[number]): string => `Node ${node}, npm ${npm}`;

const differences = (one: readonly string[], other: readonly string[]): number =>
  one.filter((each) => !other.includes(each)).length + other.filter((each) => !one.includes(each)).length;

type Timed = Ended & { seconds: number };

/** Both commands where something is broken: a test that must fail, and a service that cannot start. */
async function controls(fresh: (command: string) => Promise<Timed>): Promise<Line[]> {
  await fresh(`echo "import { expect, test } from 'vitest'; test('planted', () => expect(1).toBe(2));" > test/planted.test.ts`);
  const test = await fresh('npm test -- test/planted.test.ts');
  await fresh('rm dist/service/main.js');
  const demo = await fresh('npm run demo');
  await fresh('npx portolan dev --stop');
  return [
    line(
      'control, npm test with a planted failure',
      `exit ${test.code}, ${tail(test)}`,
      'exit 1, 1 failed',
      test.code === 1 && test.stdout.endsWith('0 passed, 1 failed\n'),
    ),
    line('control, npm run demo without a service', `exit ${demo.code}, ${tail(demo)}`, 'not 0', demo.code !== 0),
  ];
}

/** A clone of what is committed, with one Node and npm, a home of its own, and nothing else in the environment. */
async function freshMachine(temporary: string, { node, npm }: { node: string; npm: string }) {
  const folder = await mkdtemp(join(temporary, `machine-${node}-${npm}-`));
  const home = join(folder, 'home');
  const tools = join(folder, 'npm');
  await mkdir(home);
  await mkdir(tools);
  const nodeBin = await installNode(folder, node);
  await writeFile(join(tools, 'package.json'), '{"private":true}');
  await shell(`npm i npm@${npm}`, tools, dirname(process.execPath));
  const clone = join(folder, 'clone');
  await shell(`git clone -q ${root} ${clone}`, folder, dirname(process.execPath));
  // Where registries are reached through a mirror, Node needs its certificate; nothing else is handed on.
  const certificate = process.env['NODE_EXTRA_CA_CERTS'];
  const env = {
    ...(certificate ? { NODE_EXTRA_CA_CERTS: certificate } : {}),
    HOME: home,
    PATH: [join(tools, 'node_modules', '.bin'), nodeBin, '/usr/bin', '/bin'].join(':'),
  };
  const fresh = (command: string): Promise<Timed> => {
    const started = performance.now();
    return new Promise((resolve) => {
      execFile('sh', ['-c', command], { cwd: clone, env, maxBuffer: 1e9, timeout: 5_400_000 }, (error, stdout, stderr) =>
        resolve({
          code: error ? (typeof error.code === 'number' ? error.code : 1) : 0,
          stdout,
          stderr,
          seconds: (performance.now() - started) / 1_000,
        }),
      );
    });
  };
  return Object.assign(fresh, {
    /** What npm has installed, each path with its version. Of the builds of an optional package npm 10 takes one for WebAssembly beside that of the machine. */
    async tree(): Promise<string[]> {
      const { packages } = JSON.parse(await readFile(join(clone, 'node_modules', '.package-lock.json'), 'utf8')) as {
        packages: { [path: string]: { version?: string; optional?: true } };
      };
      return Object.entries(packages).flatMap(([path, { version, optional }]) => (optional ? [] : [`${path} ${version}`]));
    },
    size: () => megabytes(join(clone, 'node_modules'), nodeBin),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  });
}

const tail = ({ stdout, stderr }: Ended): string => `${stdout}${stderr}`.trim().split('\n').slice(-4).join(' | ');
