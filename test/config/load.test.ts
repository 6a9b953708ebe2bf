import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadConfig, stepFiles } from '../../config/load.ts';
import { configured, project } from './support.ts';

const prod = { maps: { url: 'https://maps.example', secret: { env: 'KEY' } } };

/** Message of the failure that loading this configuration gives. */
const failure = async (config: unknown): Promise<string> => {
  const folder = configured(config);
  const error = await loadConfig(folder).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  expect(error).toMatchObject({ name: 'ConfigError', code: 2, remedy: expect.any(String) });
  return (error?.message ?? '').replaceAll(join(folder, 'portolan.config.mts'), 'FILE');
};

test.each([
  [
    'first();\nfunction first(): void {\n  for (;;);\n}\nexport default {};\n',
    /portolan\.config\.mts:3:\d+: the code at its top has not ended after 1 s$/,
    1_000,
  ],
  [
    'await new Promise(() => setInterval(() => undefined, 10));\n',
    /portolan\.config\.mts: an `await` at its top has not ended after 1 s$/,
    1_000,
  ],
  // Seen as soon as nothing is left that could end it, however slow the machine is.
  ['await new Promise(() => undefined);\n', /portolan\.config\.mts: an `await` at its top waits for something that never comes$/, 250_000],
])('a configuration that never ends loading is an error that names it: %j', async (text, said, longestMs) => {
  const script = `import { loadConfig } from ${JSON.stringify(new URL('../../config/load.ts', import.meta.url).href)};
    const { exit } = process;
    const { name, message } = await loadConfig(${JSON.stringify(project({ 'portolan.config.mts': text }))}, { longestMs: ${longestMs} }).catch((error) => error);
    process.stdout.write(JSON.stringify([name, message]), () => exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  expect(JSON.parse(stdout)).toEqual(['ConfigError', expect.stringMatching(said)]);
});

test('without a file the defaults stand', async () => {
  const folder = project();
  expect(await loadConfig(folder)).toEqual({
    channels: {},
    connections: {},
    limits: {},
    secrets: {},
    sources: { allow: [], most: '20GB', s3: {}, postgres: {} },
    steps: ['steps/*.mts'],
    root: folder,
    dir: join(folder, '.portolan'),
    store: join(folder, '.portolan/runs'),
  });
});

test('the file of a folder above counts, and its paths resolve against it', async () => {
  const folder = configured({ connections: { prod }, connection: 'prod', store: 'out/runs' });
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  const config = await loadConfig(join(folder, 'a/b'));
  expect(config).toMatchObject({
    root: folder,
    file: join(folder, 'portolan.config.mts'),
    store: join(folder, 'out/runs'),
    connection: 'prod',
  });
});

test('the search ends at the root of a repository: a file above it is nobody’s', async () => {
  const folder = configured({ connections: { prod } });
  mkdirSync(join(folder, 'cloned/.git'), { recursive: true });
  mkdirSync(join(folder, 'cloned/deep'));
  expect((await loadConfig(join(folder, 'cloned/deep'))).connections).toEqual({});
});

test.skipIf(process.getuid?.() !== 0)('the search ends at a folder of another owner, and takes no file of another owner', async () => {
  const folder = configured({ connections: { prod } });
  mkdirSync(join(folder, 'mine'));
  chownSync(join(folder, 'mine'), 4_321, 4_321);
  expect((await loadConfig(join(folder, 'mine'))).connections).toEqual({});
  mkdirSync(join(folder, 'ours'));
  expect((await loadConfig(join(folder, 'ours'))).connections).toHaveProperty('prod');
  chownSync(join(folder, 'portolan.config.mts'), 4_321, 4_321);
  expect((await loadConfig(join(folder, 'ours'))).connections).toEqual({});

  // Where others may write, they may also link or move a file that is ours.
  const shared = configured({ connections: { prod } });
  mkdirSync(join(shared, 'ours'));
  chownSync(shared, 4_321, 4_321);
  expect((await loadConfig(join(shared, 'ours'))).connections).toEqual({});
});

test('a file: URI is a run store; another scheme is refused', async () => {
  expect((await loadConfig(configured({ store: 'file:///var/runs' }))).store).toBe('/var/runs');
  expect(await failure({ store: 's3://bucket/runs' })).toBe("FILE: store: the scheme of 's3:' is not known");
});

test.each(['file://runs', 'file:///a%2Fb', 'file://[runs'])(
  'a file: URI that names no folder is a mistake of the store: %s',
  async (store) => {
    await expect(loadConfig(configured({ store }))).rejects.toMatchObject({
      name: 'ConfigError',
      code: 2,
      message: expect.stringContaining(`portolan.config.mts: store: '${store}' names no folder of this machine: `),
      remedy: expect.stringContaining("'file:///var/runs'"),
    });
  },
);

test.each<[string, unknown, string]>([
  ['a misspelt field', { conections: {} }, "FILE: conections: no such field; did you mean 'connections'?"],
  [
    'a misspelt field inside',
    { connections: { prod: { maps: { ...prod.maps, organisation: 'x' } } } },
    "FILE: connections.prod.maps.organisation: no such field; did you mean 'organization'?",
  ],
  [
    'a field nothing is near to',
    { connections: { prod: { ...prod, zebra: 1 } } },
    'FILE: connections.prod.zebra: no such field; here are: maps, instance',
  ],
  [
    'no URL',
    { connections: { prod: { maps: { ...prod.maps, url: 'maps.example' } } } },
    'FILE: connections.prod.maps.url: must be an http(s) URL, as in https://host',
  ],
  [
    'plain http to a host',
    { connections: { prod: { maps: { ...prod.maps, url: 'http://maps.example' } } } },
    'FILE: connections.prod.maps.url: must begin with https://: over plain http everyone on the way reads the key',
  ],
  [
    'plain http to a host whose name begins as an address of this machine',
    { connections: { prod: { maps: { ...prod.maps, url: 'http://127.0.0.1.maps.example' } } } },
    'FILE: connections.prod.maps.url: must begin with https://: over plain http everyone on the way reads the key',
  ],
  [
    'a URL without secret',
    { connections: { prod: { maps: { url: 'https://maps.example' } } } },
    "FILE: connections.prod.maps.secret: must be { env: 'NAME' } or { file: 'path' }: the value itself never stands in this file",
  ],
  [
    'a reserved name',
    { connections: { local: prod } },
    "FILE: connections: 'local' is the service of portolan dev; give yours another name",
  ],
  [
    'a name with blanks',
    { connections: { 'my prod': prod } },
    'FILE: connections.my prod: a connection name is lower case letters, digits and dashes, beginning with a letter',
  ],
  [
    'an unknown limit class',
    { connections: { prod: { maps: { ...prod.maps, limits: { 'maps/tags': { count: 1, seconds: 1 } } } } } },
    "FILE: connections.prod.maps.limits.maps/tags: no such field; did you mean 'maps/tag'?",
  ],
  [
    'a default that is no connection',
    { connections: { prod }, connection: 'prd' },
    "FILE: connection: 'prd' is not among connections; did you mean 'prod'?",
  ],
  [
    'plain http to a storage',
    { sources: { s3: { acme: { endpoint: 'http://storage.example.com' } } } },
    "FILE: sources.s3.acme.endpoint: must begin with https://: over plain http everyone on the way reads what is sent; where that is meant, say so: tls: 'none'",
  ],
  ['no port', { temporal: { address: 'cluster' } }, 'FILE: temporal.address: must be host:port'],
])('%s is reported by field, rule and remedy', async (_, config, message) => {
  expect(await failure(config)).toBe(message);
});

test.each([
  { endpoint: 'http://localhost:9000' },
  { endpoint: 'http://127.0.0.1:9000' },
  { endpoint: 'https://storage.example.com' },
  { endpoint: 'http://minio.internal:9000', tls: 'none' },
  {},
])('the storage %o is taken', async (acme) => {
  expect((await loadConfig(configured({ sources: { s3: { acme } } }))).sources.s3['acme']).toMatchObject(acme);
});

test('a secret written into the file is refused, and its value is not repeated', async () => {
  const message = await failure({ connections: { prod: { maps: { ...prod.maps, secret: 'sk-canary-71' } } } });
  expect(message).toContain('connections.prod.maps.secret: must be');
  expect(message).not.toContain('canary');
});

test('a password inside a URL is refused, and not repeated', async () => {
  const message = await failure({ connections: { prod: { maps: { ...prod.maps, url: 'https://me:canary@maps.example' } } } });
  expect(message).toContain('must not hold a user or password');
  expect(message).not.toContain('canary');
});

test('every finding is reported at once', async () => {
  expect((await failure({ stoer: 'x', steps: 3 })).split('\n')).toHaveLength(2);
});

test.each(['portolan.config.ts', 'portolan.config.js', 'portolan.config.mjs'])('%s is refused with its right name', async (name) => {
  const folder = project({ [name]: 'export default {};' });
  await expect(loadConfig(folder)).rejects.toMatchObject({
    message: `${join(folder, name)}: the configuration is named portolan.config.mts`,
    remedy: expect.stringContaining('mv '),
  });
});

test('a changed file is read anew by the same process', async () => {
  const folder = configured({ store: 'one' });
  expect((await loadConfig(folder)).store).toBe(join(folder, 'one'));
  writeFileSync(join(folder, 'portolan.config.mts'), "export default { store: 'another' };");
  expect((await loadConfig(folder)).store).toBe(join(folder, 'another'));
});

test('a missing default export is reported', async () => {
  await expect(loadConfig(project({ 'portolan.config.mts': 'export const config = {};' }))).rejects.toMatchObject({
    message: expect.stringContaining('no default export'),
  });
});

test('steps: globs may find nothing, a named file must exist', async () => {
  const folder = configured(
    { steps: ['steps/*.mts', 'more/one.mts'] },
    { 'steps/b.mts': '', 'steps/a.mts': '', 'steps/note.md': '', 'more/one.mts': '' },
  );
  expect(await stepFiles(await loadConfig(folder))).toEqual(
    ['more/one.mts', 'steps/a.mts', 'steps/b.mts'].map((name) => join(folder, name)),
  );
  await expect(stepFiles(await loadConfig(configured({ steps: ['steps/gone.mts'] })))).rejects.toThrow(
    /steps: there is no file .*gone\.mts/,
  );
  expect(await stepFiles(await loadConfig(project()))).toEqual([]);
});

const program = (text: string): string =>
  `import { loadConfig } from ${JSON.stringify(fileURLToPath(new URL('../../config/load.ts', import.meta.url)))};\n${text}\n`;

// Node itself loads the file here: a test runner's loader reads module syntax whatever the folder says.
const byNode = async (folder: string): Promise<{ message: string; remedy: string } | { store: string }> => {
  const text = program(
    `console.log(JSON.stringify(await loadConfig(${JSON.stringify(folder)}).catch((e) => ({ message: e.message, remedy: e.remedy }))));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text]);
  return JSON.parse(stdout);
};

test('the file loads whatever type the folder has', async () => {
  for (const type of ['commonjs', 'module']) {
    const folder = realpathSync(configured({ store: 'x' }, { 'package.json': JSON.stringify({ type }) }));
    expect(await byNode(folder)).toMatchObject({ store: join(folder, 'x') });
  }
});

test("a file it imports that cannot load because of the folder's type names the remedy", async () => {
  const folder = project({
    'package.json': '{"type":"commonjs"}',
    'portolan.config.mts': "import { store } from './store.ts'; export default { store };",
    'store.ts': "import { join } from 'node:path'; export const store: string = join('a', 'b');",
  });
  expect(await byNode(folder)).toMatchObject({
    message: expect.stringContaining('store.ts'),
    remedy: expect.stringContaining('name that file .mts'),
  });
});

test('process.exit at the top of a configuration is an error with its line; the program that loads it ends as it likes', async () => {
  const folder = realpathSync(project({ 'portolan.config.mts': '\nprocess.exit(0);\nexport default {};' }));
  expect(await byNode(folder)).toMatchObject({
    message: expect.stringMatching(/portolan\.config\.mts:2:9: its code calls process\.exit\(0\)$/),
  });
  const good = realpathSync(configured({ store: 'x' }, { 'program.mts': program("await loadConfig('.'); process.exit(7);") }));
  const ended = promisify(execFile)(process.execPath, ['program.mts'], { cwd: good });
  await expect(ended).rejects.toMatchObject({ code: 7 });
});

test('a configuration in a project without the package says so', async () => {
  const folder = project({ 'portolan.config.mts': "import { defineConfig } from 'portolan'; export default defineConfig({});" });
  expect(await byNode(folder)).toMatchObject({
    message: expect.stringContaining('the package portolan is not installed here'),
    remedy: expect.stringContaining('npm install portolan'),
  });
});
