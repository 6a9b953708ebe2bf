import type { Assumption } from './assumption.ts';

/** Datasets, uploads and the service itself. */
export const datasets = {
  'unknown-slug': {
    text: 'projects by slug: error statuses not shown',
    readings: { 'not-found': '404', 'bad-request': '400', forbidden: '403, as for one that may not be read' },
    probe: 'read',
    handled: 'any',
    matters: 'dataset.ensure',
  },
  'project-list': {
    text: 'GET /v1/project/ "lists the authenticated user\'s projects"; paging is shown of "organization, usage and within_limit reads" alone',
    readings: {
      whole: 'all of them',
      'first-page': 'some of them, the oldest first; that there are more does not show',
    },
    probe: 'read',
    handled: 'any',
    matters: 'what is looked up where the answer of maps.projects.create or remove was lost; dataset.ensure',
  },
  'removed-slug': {
    text: 'project/remove: "also starts background tasks that remove other projects not yet fully deleted"',
    readings: { free: 'its slug is free at once', held: 'its slug stays taken: a new dataset of that name gets another' },
    probe: 'scratch',
    handled: 'refused',
    matters: 'dataset.ensure',
  },
  'second-removal': {
    text: 'project/remove of what is removed: not shown',
    readings: { succeeds: '200', 'not-found': '404' },
    probe: 'scratch',
    handled: 'any',
    matters: 'api.call of maps.projects.remove',
  },
  'complete-answer': {
    text: 'upload/complete: 201, no body shown',
    readings: { addition: 'the version of the data', object: '{}', null: 'null' },
    probe: 'none',
    handled: 'any',
    matters: 'dataset.upload',
  },
  completion: {
    text: 'upload/complete: when its rows are there is not shown',
    readings: { before: 'before the answer', after: 'some time after it' },
    probe: 'none',
    handled: 'any',
    matters: 'dataset.upload',
  },
  'second-completion': {
    text: 'upload/complete of an upload that is complete: not shown',
    readings: { same: 'the answer of the first, and no row twice', 'not-found': '404: there is no such upload any more' },
    probe: 'none',
    handled: 'any',
    matters: 'dataset.upload, where the first answer was lost',
  },
  'public-reads': {
    text: 'Authentication: "Most project and organization operations accept either"; whether public datasets need a key is not said',
    readings: { everybody: 'whoever has no key reads what is public', keys: '401 without a key, whatever is read' },
    probe: 'read',
    handled: 'any',
    matters: 'readers without a key; Portolan itself always sends one',
  },
  'expired-part': {
    text: 'presigned URLs: what an expired one is refused with is not shown',
    readings: { forbidden: '403 that says so', 'bad-request': '400 that says so' },
    probe: 'none',
    handled: 'any',
    matters: 'dataset.upload',
  },
  'health-answer': {
    text: 'health: 200, no body shown',
    readings: { json: 'a JSON object', text: 'the text ok', empty: 'nothing' },
    probe: 'read',
    handled: 'any',
    matters: 'doctor, api.call of maps.health.get',
  },
} as const satisfies Record<string, Assumption>;
