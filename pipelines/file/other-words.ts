/** Names of fields in other tools, by what they are called here. */
const words: Readonly<Record<string, readonly string[]>> = {
  use: ['uses', 'type', 'action', 'run', 'task', 'step', 'operator', 'kind'],
  with: ['args', 'arguments', 'input', 'inputs', 'params', 'parameters', 'config', 'options', 'vars', 'properties'],
  needs: ['depends_on', 'dependsOn', 'depends', 'after', 'requires', 'dependencies', 'need', 'wait_for'],
  when: ['if', 'condition', 'only_if'],
  timeout: ['timeout_minutes', 'timeout-minutes', 'timeoutSeconds', 'timeout_seconds', 'deadline', 'max_time'],
  tolerate: ['tolerance', 'allow_failures', 'max_errors', 'allowed'],
  window: ['parallel', 'parallelism', 'max_parallel', 'batch'],
  steps: ['jobs', 'tasks', 'stages', 'pipeline', 'actions', 'nodes'],
  params: ['inputs', 'parameters', 'variables', 'vars', 'args', 'arguments', 'env'],
  outputs: ['results', 'returns', 'exports'],
  default: ['value', 'initial', 'preset'],
  description: ['desc', 'title', 'summary', 'help', 'doc', 'comment'],
  name: ['title', 'id', 'pipeline'],
  connection: ['connections', 'service', 'target', 'profile', 'environment'],
  source: ['file', 'path', 'input', 'from', 'table', 'data'],
  dataset: ['dataset_id', 'datasetId', 'project', 'project_id', 'into', 'to'],
  map: ['map_id', 'mapId', 'projection', 'index', 'dataset'],
  points: ['ids', 'rows', 'items'],
  add: ['tag', 'label'],
  query: ['text', 'search', 'q', 'question'],
  k: ['limit', 'top', 'count', 'n', 'top_k', 'size'],
  fields: ['columns', 'select', 'returns'],
  embed: ['column', 'text', 'field', 'embedding'],
  from: ['min', 'gte', 'ge', 'gt', 'least', 'start', 'since', 'after'],
  to: ['max', 'lte', 'le', 'lt', 'most', 'end', 'until', 'before'],
  in: ['is', 'values', 'equals', 'eq', 'value', 'one_of'],
  range: ['column', 'field', 'between'],
  category: ['column', 'field', 'equals'],
  search: ['contains', 'text', 'like'],
  for: ['query', 'text', 'value', 'what'],
  all: ['and', 'every'],
  any: ['or', 'some'],
  column: ['field', 'col', 'key'],
  delimiter: ['separator', 'sep', 'delim'],
  quote: ['quotechar', 'quoteChar'],
  header: ['headers', 'has_header', 'hasHeader'],
  sql: ['query', 'select'],
  tables: ['table', 'files', 'sources'],
};

/** The field that another tool's word means, of those that are possible here. */
export const inOurWords = (word: string, possible: readonly string[]): string | undefined =>
  possible.find((field) => words[field]?.includes(word) || words[field]?.includes(word.toLowerCase()));

const retryByClass =
  'write it under a class of failures, with its pause: onError: { transient: { retry: 3, every: 10m } }; else: is all others';

/** What a pipeline does not have, and what is done instead, by its name; by `OWNER.NAME` where it is about one place. */
export const instead: Readonly<Record<string, string>> = {
  'onError.retry': retryByClass,
  'onError.retries': retryByClass,
  'onError.every': retryByClass,
  when: 'it stands beside `with`: a step is skipped where it gives false',
  retries: 'leave it out: what failed in passing is tried again until `timeout`',
  retry: 'leave it out: what failed in passing is tried again until `timeout`',
  continueOnError: 'leave it out: `tolerate` says how many items may fail',
  env: 'leave it out: values go into `with`, secrets into portolan.config.mts',
  queue: 'leave it out: Portolan chooses queues and sizes of chunks',
  schedule: 'write it at the top of the file: schedule: { cron: "15 6 * * *" }',
  version: 'leave it out: files have no version',
  '<<': 'YAML 1.2 has no merge keys: write the fields out, or give the whole value an anchor and refer to it by *NAME',
};
