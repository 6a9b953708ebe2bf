import type { Assumption } from './assumption.ts';

/** Rows, their deletion, their counts. */
export const data = {
  'readded-id': {
    text: 'data/delete: "the project and index state does not reflect it until an index update is made (transaction commit)"',
    readings: {
      replaces: 'an id that is added again before the commit gets its new row at once, and keeps it',
      skipped: 'the id still counts as taken: with on_id_conflict_ignore its new row is skipped in silence',
      lost: 'the new row is taken, and the commit deletes it with the old one',
    },
    probe: 'scratch',
    handled: 'refused',
    matters: 'dataset.append with onChange: replace; dataset.upload of rows that were deleted, before the deletion is committed',
  },
  'known-ids': {
    text: 'data/add/arrow: its schema metadata is not shown; on_id_conflict_ignore is known of public clients alone',
    readings: {
      skipped: 'with it the rows of known ids are left out, and the others are added',
      refused: 'a known id makes the whole call a 409 all the same, and nothing of it is added',
      replaced: 'the rows of known ids take the place of those that are there',
    },
    probe: 'scratch',
    handled: 'refused',
    matters: 'repeats of dataset.append, which are right under each; dataset.upload of ids that the dataset has',
  },
  'deletion-version': {
    text: 'last_modified: "timestamp of the last change to the dataset"; whether a deletion is one, and when, is not said',
    readings: {
      'at-once': 'a deletion moves the timestamp when it is ordered',
      'at-commit': 'it moves when the deletion is committed',
      never: 'only additions move it',
    },
    probe: 'scratch',
    handled: 'any',
    matters: 'index.update, index.build, dataset.append with onChange: replace',
  },
  'version-unit': {
    text: 'latest_addition_timestamp: a number, its unit not shown',
    readings: { seconds: 'seconds since the epoch', milliseconds: 'milliseconds since the epoch' },
    probe: 'scratch',
    handled: 'any',
    matters: 'index.update, index.build',
  },
  counts: {
    text: 'total_datums_in_project: not shown when it changes',
    readings: { 'at-once': 'with the answer of the write', late: 'some reads later' },
    probe: 'scratch',
    handled: 'any',
    matters: 'dataset.append, dataset.upload, dataset.load',
  },
  'unknown-deletion': {
    text: 'data/delete: what becomes of ids that are not there is not shown',
    readings: { ignored: '200: the others are deleted', refused: '404 that names none, and nothing is deleted' },
    probe: 'scratch',
    handled: 'any',
    matters: 'data.delete, dataset.append with onChange: replace: a repeat meets rows that are gone',
  },
  'unknown-datum': {
    text: 'data/get: error bodies and statuses not shown',
    readings: {
      named: '404 that names every unknown id',
      unnamed: '404 that names none',
      'left-out': '200 without the unknown rows',
      null: '200 with null in their places',
    },
    probe: 'scratch',
    handled: 'any',
    matters: 'dataset.append, points.tag, data.delete',
  },
  'row-times': {
    text: 'how a timestamp column is written in JSON rows: not shown',
    readings: {
      'epoch-ms': 'a number of milliseconds since the epoch',
      iso: 'ISO text with its zone',
      'iso-unzoned': 'ISO text without a zone, which is UTC',
    },
    probe: 'scratch',
    handled: 'any',
    matters: 'dataset.append: which rows have changed',
  },
  'id-length': {
    text: 'unique ids: no length shown; public clients refuse more than 36 characters',
    readings: { characters: '36 Unicode characters (code points)', bytes: '36 bytes of UTF-8: 422 for more' },
    probe: 'none',
    handled: 'refused',
    matters: 'dataset.append and dataset.upload, where ids hold more than ASCII',
  },
  'batch-caps': {
    text: 'Limits: "size limits … batch sizes: not shown"',
    readings: {
      large: '1,000 ids of a read, 10,000 of a deletion or tag, 10,000 rows and 64 MiB of an addition',
      small: '50 of each; more is a 422 or 413 that says so',
    },
    probe: 'none',
    handled: 'any',
    matters: 'every step that sends lists',
  },
} as const satisfies Record<string, Assumption>;
