import type { Mutant } from './mutant.ts';

export const config: readonly Mutant[] = [
  {
    file: 'config/schema.ts',
    find: "if (protocol === 'http:' && !isLoopback(value))",
    replace: 'if (false)',
    rule: 'a key is never sent in the clear to a hosted service',
    test: ['test/config/load.test.ts', 'test/config/connections.test.ts'],
  },
  {
    file: 'config/schema.ts',
    find: "if (username !== '' || password !== '')",
    replace: 'if (false)',
    rule: 'a password inside a URL is refused',
    test: ['test/config/load.test.ts', 'test/config/connections.test.ts'],
  },
  {
    file: 'config/secret.ts',
    find: '(found.mode & 0o077) !== 0',
    replace: '(found.mode & 0o007) !== 0',
    rule: 'a key file that the group may read is refused',
    test: 'test/config/connections.test.ts',
  },
  {
    file: 'config/secret.ts',
    find: 'if (/\\s/.test(secret))',
    replace: 'if (false)',
    rule: 'a secret is one word',
    test: 'test/config/connections.test.ts',
  },
  {
    file: 'config/tuning.ts',
    find: 'settleMs ?? (hosted ? 75_000 : 1_000)',
    replace: 'settleMs ?? 1_000',
    rule: 'a hosted service is given more time to settle',
    test: 'test/config/connections.test.ts',
  },
  {
    file: 'config/connections.ts',
    find: 'name: string | undefined = config.connection): ServiceConnection',
    replace: 'name: string | undefined = config.connection ?? localName): Connection',
    rule: 'the local service is used only where it is named',
    test: 'test/config/connections.test.ts',
  },
  {
    file: 'config/identity.ts',
    find: 'identify(identity.pid)?.startTime === identity.startTime',
    replace: 'identify(identity.pid) !== undefined',
    rule: 'a process whose number is used again is another one',
    test: 'test/dev/identity.test.ts',
  },
  {
    file: 'config/temporal.ts',
    find: 'fromDev(config, true) ?? configuredCluster(config) ?? fromDev(config, false)',
    replace: 'configuredCluster(config) ?? fromDev(config, false)',
    rule: 'a server that dev was told to use goes before a configured cluster',
    test: 'test/config/temporal.test.ts',
  },
  {
    file: 'config/temporal.ts',
    find: 'fromStandardPlaces() ?? fromConfig(config);',
    replace: 'fromConfig(config) ?? fromStandardPlaces();',
    rule: 'the environment names the cluster before the configuration does',
    test: 'test/config/temporal.test.ts',
  },
  {
    file: 'config/user.ts',
    find: "as ?? (process.env['PORTOLAN_USER'] || `${systemUser()}@${hostname()}`)",
    replace: "process.env['PORTOLAN_USER'] || (as ?? `${systemUser()}@${hostname()}`)",
    rule: 'who acts is named by the option first',
    test: 'test/config/user.test.ts',
  },
];
