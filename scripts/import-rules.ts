/** What the files of one top folder may import, by value or as types. */
export type ImportRule = {
  /** What the folder is for, in Markdown. */
  holds: string;
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

/** The table of ARCHITECTURE.md, which is written from it, as checked by `npm run check`. A folder without a row (scripts, test, bench) may import anything. */
export const importRules: Readonly<Record<string, ImportRule>> = {
  text: {
    holds: 'functions over text and plain values: near names, canonical JSON, SQL literals and identifiers, HTML text, numbers with units',
    folders: [],
  },
  files: {
    holds: "functions over files: whole-file writes, databases of DuckDB, modules of a user's loaded within a time",
    folders: ['text'],
  },
  errors: {
    holds:
      'what a failure means (refused input, failed service, inconclusive, undecided, missing for a while) and its one remedy; `activities/frame/failure.ts` maps each to Temporal',
    folders: [],
  },
  arrow: {
    holds: 'bytes of Arrow files before the library reads them and behind it: walks, checks, codecs, verdicts, texts; the writer of files',
    folders: ['errors'],
  },
  contracts: {
    holds: 'the APIs as data: method, path, zod input and output, statuses, limit class, effect class. Wire shapes are written here only',
    folders: [],
    packages: ['zod'],
  },
  client: { holds: 'typed client derived from the contracts: one attempt, Retry-After, errors, permits', folders: ['text', 'contracts'] },
  service: {
    holds:
      'the APIs running locally for real. `apis/`: handlers by API and resource; `engine/`: datasets, embedding, projection, selection, uploads; `http/`: transport, derived from the contracts; `core/`: records, limits, faults, journal, control plane; `openapi/`: the APIs described for machines; `pages/`',
    folders: ['text', 'files', 'errors', 'arrow', 'contracts', 'reach', 'child', 'config/user-folders.ts', 'client/retry-after.ts'],
  },
  pipelines: {
    holds:
      "`file/`: a pipeline file's grammar; `expressions/`; `compile/`: file to plan; `forecast/`; `graph/`: a pipeline as a picture; `own/`: a user's steps; `steps/`: what each step is, by noun; ready-made `*.yaml`",
    folders: ['text', 'files', 'contracts'],
    types: ['client', 'errors/failure-details.ts'],
  },
  store: {
    holds: 'the run store: ledger, id lists, events, large values',
    folders: ['text', 'files', 'errors', 'pipelines/kept.ts', 'pipelines/item-name.ts', 'pipelines/loop-over.ts', 'pipelines/undo-ids.ts'],
    types: ['pipelines/own/result-columns.ts', 'pipelines/former-run.ts', 'pipelines/run-start.ts', 'pipelines/budgets/renewed.ts'],
  },
  child: {
    holds:
      'the process that opens hostile bytes: `host/` runs in the parent, `inside/` behind the fence (`packed/`, `formats/`, `sql/`, `rows/`), the files beside them are spoken on both sides',
    folders: ['text', 'files', 'errors', 'arrow', 'contracts', 'pipelines/source-name.ts'],
    types: ['pipelines/source-spec.ts', 'store/parquet-page.ts'],
  },
  reach: {
    holds: 'requests to where somebody else has named: addresses that may be reached, checked at every hop of a redirect',
    folders: ['errors'],
  },
  landing: {
    holds: 'files from elsewhere, fetched whole into the run store: requests that are tried again, resumption, what is there already',
    folders: [
      'text',
      'files',
      'errors',
      'reach',
      'arrow',
      'pipelines/source-name.ts',
      'pipelines/s3-address.ts',
      'pipelines/source-address.ts',
      'client/network-code.ts',
      'client/retry-after.ts',
      'client/wait.ts',
    ],
    types: ['pipelines/source-spec.ts', 'child/tables.ts', 'config/load.ts'],
  },
  config: {
    holds: "`portolan.config.mts`, connections and their gates, secrets, Temporal's address",
    folders: ['text', 'files', 'errors', 'contracts', 'client', 'pipelines/notify-rule.ts'],
    env: true,
  },
  alerts: {
    holds: 'what an alert says, and the channels that take it: webhook, command, mail',
    folders: ['text', 'errors', 'client', 'config', 'pipelines/notify-rule.ts'],
    types: ['pipelines/notify.ts'],
  },
  dev: {
    holds: 'Temporal server, service and worker of one machine: found, started, kept running, stopped',
    folders: ['text', 'files', 'config'],
    types: ['service/app.ts'],
    env: true,
  },
  activities: {
    holds: "how each step is done, one file per step, by noun; `frame/`: what runs them, and what a step's code is (`activity.ts`)",
    folders: ['text', 'files', 'errors', 'contracts', 'client', 'alerts', 'pipelines', 'store', 'child', 'landing', 'config/identity.ts'],
    types: ['config/tuning.ts'],
  },
  workflows: {
    holds: 'sandboxed orchestration: interpreter, gates, names of signals and queries',
    folders: ['text', 'pipelines'],
    types: ['errors/failure-details.ts', 'store/kept-view.ts'],
    packages: ['@temporalio/workflow', '@temporalio/common', '@marcbachmann/cel-js', '@noble/hashes'],
    sandbox: true,
  },
  workers: {
    holds: 'the worker process; `try/`: an own step without a run',
    folders: [
      'text',
      'files',
      'errors',
      'activities',
      'alerts',
      'child',
      'client',
      'config',
      'contracts',
      'landing',
      'pipelines',
      'store',
      'workflows/messages.ts',
      'runs/retention.ts',
    ],
    env: true,
  },
  runs: { holds: 'runs from outside: start, find, steer, explain, report', folders: '*', never: ['activities'] },
  cli: { holds: 'the `portolan` command, one file per verb, loaded lazily', folders: '*', never: ['activities'], env: true },
};
