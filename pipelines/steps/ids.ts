import { z } from 'zod';

/** What a text is the id of. An output of a built-in step that is not here is no id. */
export const ids = z.registry<{ of: 'dataset' | 'map' | 'index' }>();

const id = (of: 'dataset' | 'map' | 'index', words: string) => ({
  taken: z.guid().describe(words).register(ids, { of }),
  given: z.string().describe(words).register(ids, { of }),
});

export const datasetId = id('dataset', 'Dataset id (uuid).');
export const mapId = id('map', 'Map id (uuid).');
export const indexId = id('index', 'Index id (uuid).');
