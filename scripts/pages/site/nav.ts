/** A page of the site: its Markdown file from the root, how it is called in lists, and what it is for. */
export type NavPage = { file: string; title: string; what: string };

/** The pages in the order of reading, by group. The site's list, docs/README.md and the list of README.md are written from it. */
export const nav: readonly { group: string; pages: readonly NavPage[] }[] = [
  {
    group: 'Begin',
    pages: [
      { file: 'docs/tutorial.md', title: 'Tutorial', what: 'an hour from an empty folder to a map, a changed row and a step of your own' },
      { file: 'docs/scheduled.md', title: 'A scheduled job', what: 'ten minutes: a source that grows, every hour; a mirror, every night' },
      {
        file: 'docs/tagging.md',
        title: 'Tagging many points',
        what: 'ten minutes: by conditions, ids, meaning and nearness; counted before, taken back after',
      },
      {
        file: 'docs/documents.md',
        title: 'Documents on a map',
        what: 'ten minutes: a folder of documents, read once, in chunks, searched by meaning',
      },
      { file: 'docs/concepts.md', title: 'Concepts', what: 'dataset, map, ids, effects, limits, readings, run store' },
    ],
  },
  {
    group: 'Write',
    pages: [
      { file: 'docs/steps.md', title: 'Pipeline files and steps', what: 'every field of a file, expressions, and every step' },
      { file: 'docs/files.md', title: 'Files', what: 'what can be read, what becomes of it, and what the formats leave open' },
      { file: 'docs/ingestion.md', title: 'Reading again', what: 'watermarks, mirrors, columns that come and go' },
      { file: 'docs/agents.md', title: 'Agents', what: 'what an agent does, what it costs, and how the local service runs it' },
      {
        file: 'docs/chaos.md',
        title: 'Chaos',
        what: 'three minutes: the same agents by a script and by a pipeline, while everything goes wrong',
      },
      { file: 'docs/budgets.md', title: 'Budgets', what: 'budgets as files say they should be, drift, and a ledger to the cent' },
      { file: 'docs/own-steps.md', title: 'Steps of your own', what: 'one call, a poll, a sweep over items, and what their code may do' },
      { file: 'docs/configuration.md', title: 'Configuration', what: 'every field of portolan.config.mts, and the environment' },
    ],
  },
  {
    group: 'Run',
    pages: [
      { file: 'docs/hosted.md', title: 'A hosted service', what: 'connections, keys, readings, and a first careful run' },
      {
        file: 'docs/schedules.md',
        title: 'Schedules',
        what: 'pipelines that run by themselves: windows, clocks that change, outages, backfills',
      },
      { file: 'docs/cluster.md', title: 'Your own cluster', what: 'your Temporal, several workers, a systemd unit, a container file' },
      { file: 'docs/alerts.md', title: 'Alerts', what: 'who learns of failures, gates and late runs, by webhook, command or mail, once' },
      { file: 'docs/ci.md', title: 'CI', what: 'checks on every change, runs that wait, exit codes, logs' },
      { file: 'docs/json.md', title: 'JSON', what: 'what every verb writes with --json' },
      { file: 'docs/errors.md', title: 'Errors', what: 'every code and type of failure, with its remedy' },
      { file: 'docs/run-store.md', title: 'The run store', what: 'what a run leaves on disk' },
    ],
  },
  {
    group: 'Look up',
    pages: [
      { file: 'docs/commands.md', title: 'Commands', what: 'every verb of `portolan`' },
      { file: 'docs/operations.md', title: 'Operations', what: 'every operation of the two APIs, its effect and its limit' },
      { file: 'docs/api-coverage.md', title: 'What is shown of the APIs', what: 'which statements of their texts a test shows to hold' },
      { file: 'docs/assumptions.md', title: 'Assumptions', what: 'where the texts of the APIs are silent, and how to find out' },
      { file: 'docs/service.md', title: 'The local service', what: 'faults, limits, clock, what "acknowledged" means' },
      { file: 'SECURITY.md', title: 'Security', what: 'what is defended, and what is trusted' },
      { file: 'CHANGELOG.md', title: 'Changes', what: 'what is new' },
    ],
  },
];

/** The page that stands first: the same table as Markdown. */
export const home = 'docs/README.md';

export const navPages: readonly NavPage[] = nav.flatMap(({ pages }) => pages);
