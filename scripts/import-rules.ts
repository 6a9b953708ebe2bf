/** What the files of one top folder may import, by value or as types. */
export type ImportRule = {
  /** Top folders, or single files of one, beside the folder itself; `'*'`: all but those in `never`. */
  folders: readonly string[] | '*';
  never?: readonly string[];
  /** Top folders, or single files of one, that types alone may come from. */
  types?: readonly string[];
  /** Packages; absent: every dependency of package.json. */
  packages?: readonly string[];
  /** May read `process.env`; everything else takes its settings as arguments. */
  env?: true;
  /** Runs in Temporal's sandbox: neither it nor anything it reaches imports `node:` or other packages than `packages`. */
  sandbox?: true;
};

/** The table of ARCHITECTURE.md, as checked by `npm run check`. A folder without a row (scripts, test, bench) may import anything. */
export const importRules: Readonly<Record<string, ImportRule>> = {
  text: { folders: [] },
  files: { folders: [] },
  errors: { folders: [] },
  arrow: { folders: ['errors'] },
  contracts: { folders: [], packages: ['zod'] },
  client: { folders: ['text', 'contracts'] },
  service: { folders: ['text', 'files', 'errors', 'arrow', 'contracts', 'child'] },
  pipelines: { folders: ['text', 'contracts'], types: ['client'] },
  store: { folders: ['text', 'files', 'errors', 'pipelines/kept.ts'], types: ['pipelines/own/result-columns.ts'] },
  child: {
    folders: ['text', 'files', 'errors', 'arrow', 'contracts', 'pipelines/source-name.ts'],
    types: ['pipelines/source-spec.ts', 'store/parquet-page.ts'],
  },
  config: { folders: ['text', 'errors', 'contracts', 'client'], env: true },
  dev: { folders: ['text', 'files', 'config'], types: ['service/app.ts'], env: true },
  activities: {
    folders: ['text', 'files', 'errors', 'contracts', 'client', 'pipelines', 'store', 'child'],
    types: ['config/tuning.ts'],
  },
  workflows: {
    folders: ['text', 'pipelines'],
    packages: ['@temporalio/workflow', '@temporalio/common', '@marcbachmann/cel-js', '@noble/hashes'],
    sandbox: true,
  },
  workers: {
    folders: [
      'text',
      'files',
      'errors',
      'activities',
      'child',
      'client',
      'config',
      'contracts',
      'pipelines',
      'store',
      'workflows/messages.ts',
      'runs/retention.ts',
    ],
    env: true,
  },
  runs: { folders: '*', never: ['activities'] },
  cli: { folders: '*', never: ['activities'], env: true },
};
