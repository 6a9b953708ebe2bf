import type { Mutant } from './mutant.ts';

const child = 'test/child/images.test.ts';
const map = 'test/service/image-map.test.ts';
const operation = 'test/spec/image-embedding.test.ts';

/** Mutants of images: their descriptions, their vectors, their maps. */
export const images: readonly Mutant[] = [
  {
    file: 'child/inside/images/decode.ts',
    find: 'if (width * height > imageLimits.pixels)',
    replace: 'if (false)',
    rule: 'an image of more pixels than may be is too large by its header',
    test: child,
    title: 'a bomb is too large',
  },
  {
    file: 'child/inside/images/decode.ts',
    find: "failOn: 'error'",
    replace: "failOn: 'none'",
    rule: 'an image that breaks off is a verdict, and no grey half',
    test: child,
    title: 'what is broken',
  },
  {
    file: 'child/inside/images/decode.ts',
    find: 'opened().autoOrient()',
    replace: 'opened()',
    rule: 'an image is described upright',
    test: child,
    title: 'upright whatever the camera says',
  },
  {
    file: 'child/inside/images/cells.ts',
    find: '  const low = Math.floor(place);',
    replace: '  const low = Math.floor(place * 4);',
    rule: 'cells overlap, so that a trimmed border moves no number far',
    test: child,
    title: 'a picture is nearest to itself',
  },
  {
    file: 'service/engine/embedding/image-vector.ts',
    find: '    addLexical(text, content, VISUAL, WORDS);',
    replace: '    addLexical(text, content, 0, WORDS);',
    rule: 'a text has its words where images have the names of their colours',
    test: map,
    title: 'a text that names a colour',
  },
  {
    file: 'service/apis/maps/indices.ts',
    find: 'if (model !== null && isVisionModel(model)) await checkBlobs',
    replace: 'if (false) await checkBlobs',
    rule: 'an order for a map of images is refused where a row names no blob',
    test: map,
    title: 'rows that name no blob',
  },
  {
    file: 'service/apis/maps/index-options.ts',
    find: '  if (model === null || isVisionModel(model) === (indexed_field === blobColumn)) return;',
    replace: '  return;',
    rule: 'images are embedded by models of images alone, and texts by models of text',
    test: map,
    title: 'for images is refused',
  },
  {
    file: 'service/engine/meter.ts',
    find: 'tokens: IMAGE_TOKENS, embeddings: 1 }',
    replace: 'tokens: IMAGE_TOKENS, embeddings: 0 }',
    rule: 'each image that is embedded counts',
    test: map,
    title: 'counted as embedded',
  },
  {
    file: 'service/apis/maps/embedding-images.ts',
    find: "loc: ['body', field, at]",
    replace: "loc: ['body', field, 0]",
    rule: 'an image that cannot be decoded is named by its place',
    test: operation,
    title: 'named by its place',
  },
  {
    file: 'client/request.ts',
    find: '.some((value) => value instanceof Blob)',
    replace: '.some(() => true)',
    rule: 'a form without files is sent urlencoded, as the text says of URLs',
    test: operation,
    title: 'by their URLs',
  },
  {
    file: 'service/engine/outside.ts',
    find: 'fetchBytes(address, { allow,',
    replace: 'fetchBytes(address, { allow: [...allow, new URL(address).host],',
    rule: 'the service fetches from no address that is not public',
    test: 'test/service/image-addresses.test.ts',
    title: 'no spelling of an address',
  },
  {
    file: 'activities/images/add.ts',
    find: 'if (await isThere(context, dataset, known)) return',
    replace: 'if (false) return',
    rule: 'an image that the dataset has is not sent again',
    test: 'test/system/images.test.ts',
  },
  {
    file: 'child/schema-columns.ts',
    find: "(name.startsWith('_') && name !== blobField)",
    replace: "name.startsWith('_')",
    rule: 'rows that name other blobs than those of the dataset have changed',
    test: 'test/system/images.test.ts',
  },
];
