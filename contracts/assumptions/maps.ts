import type { Assumption } from './assumption.ts';

/** Indices, maps and what brings them up to the data. */
export const maps = {
  'update-operation': {
    text: 'update_indices is deprecated; no other operation for the same is named',
    readings: { there: 'it works', gone: '404: it has been taken away' },
    probe: 'scratch',
    handled: 'refused',
    matters: 'index.update, index.build with onChange: update, dataset.append with onChange: replace',
  },
  'update-answer': {
    text: 'update_indices: 200, no body shown',
    readings: { result: '{"result": "ok"}', object: '{}', empty: 'nothing', word: 'the text OK' },
    probe: 'none',
    handled: 'any',
    matters: 'index.update, index.build, dataset.append with onChange: replace',
  },
  'update-start': {
    text: 'States and transitions: not shown',
    readings: {
      'at-once': 'the dataset is locked before the order is answered',
      late: 'the order is answered first; the dataset is locked some time later',
    },
    probe: 'none',
    handled: 'any',
    matters: 'index.update, index.build, dataset.append with onChange: replace',
  },
  'failed-build': {
    text: 'States and transitions: not shown',
    readings: {
      stage: 'the progress of a failed build is at stage Failed, and the map names the error',
      silent: 'the progress stands still for ever; only the jobs of the index say that it failed',
    },
    probe: 'none',
    handled: 'any',
    matters: 'index.build',
  },
  'model-check': {
    text: 'index/create: when a name that it cannot use is refused is not shown',
    readings: { 'at-once': '422 at once', 'at-build': 'the order is taken, and the build fails' },
    probe: 'none',
    handled: 'any',
    matters: 'index.build',
  },
  'same-index-name': {
    text: 'index/create: whether two indices of a dataset may have one name is not said',
    readings: {
      another: 'an order of a name that is there makes another index of that name',
      refused: '409, and none is made',
      existing: '200 with the index that is there, and none is made',
    },
    probe: 'scratch',
    handled: 'any',
    matters: 'index.build, where a creation is delivered twice or two runs order the same map',
  },
  'plain-map': {
    text: 'index/create: its fields are not shown; an order without a model is not mentioned (RANDOM_COORDINATE_SET is a resource)',
    readings: {
      random: 'the projection model `random` makes a map without vectors, at random coordinates',
      refused: '422: there is no such projection model',
    },
    probe: 'none',
    handled: 'refused',
    matters: 'index.build without `embed`',
  },
  names: {
    text: 'names of models, projection and nearest-neighbour index: the text is anonymised',
    readings: { svc: 'svc-embed-…, SvcProject', vendor: 'another prefix in place of svc; svc is refused' },
    probe: 'none',
    handled: 'refused',
    matters: 'index.build: name them in `names` of the connection',
  },
} as const satisfies Record<string, Assumption>;
