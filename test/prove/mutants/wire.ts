import type { Mutant } from './mutant.ts';

/** What the local service takes from unmodified clients, and gives to them. */
export const wire: readonly Mutant[] = [
  {
    file: 'service/engine/datasets/values.ts',
    find: 'isDecimal(value.trim()) ? Number(value) : Number.NaN',
    replace: 'Number(value)',
    rule: 'white space and hexadecimal are no numbers',
    test: 'test/service/data.test.ts',
  },
  {
    file: 'service/engine/datasets/values.ts',
    find: '  characters,\n  bytes',
    replace: '  characters: (id) => id.length,\n  bytes',
    rule: 'an id is as long as it has characters',
    test: 'test/service/data.test.ts',
  },
  {
    file: 'child/inside/sent-unchanged.ts',
    find: 'id.length > longestId && characters(id) > longestId',
    replace: 'id.length > longestId',
    rule: 'a file whose ids have 36 emoji is sent as it is',
    test: 'test/child/arrow-file.test.ts',
  },
  {
    file: 'service/engine/datasets/append.ts',
    find: '.filter(({ name }) => first || known.has(name));',
    replace: ';',
    rule: 'a further column of a later shard is dropped, whatever its type',
    test: 'test/service/data.test.ts',
  },
  {
    file: 'service/engine/datasets/append.ts',
    find: "hex.padStart(hex.length + (hex.length % 2), '0')",
    replace: "hex.padStart(8, '0')",
    rule: 'ids that the service makes have the form that public clients give them',
    test: 'test/service/data.test.ts',
  },
  {
    file: 'service/apis/maps/project-view.ts',
    find: 'record.unique_id_field !== null || name !== facts.idField',
    replace: 'name !== undefined',
    rule: 'an automatic id is no field of its dataset',
    test: 'test/service/data.test.ts',
  },
  {
    file: 'contracts/maps/data.ts',
    find: "orElse(z.enum(['arrow', 'json']), 'arrow' as const)",
    replace: "orElse(z.enum(['arrow', 'json']), 'json' as const)",
    rule: 'datums come as Arrow where nothing else is asked for',
    test: 'test/service/maps.test.ts',
  },
  {
    file: 'service/engine/datasets/npy.ts',
    find: '  u4: { bytes: 4, read: (view, at, little) => view.getUint32(at, little) },\n',
    replace: '',
    rule: 'vectors of integers are vectors',
    test: 'test/service/neighbors.test.ts',
  },
  {
    file: 'service/engine/selection/compile.ts',
    find: 'if (part.depth < mostLevels) return part;',
    replace: 'if (part.depth >= 0) return part;',
    rule: 'a selection nests to any depth',
    test: 'test/service/maps.test.ts',
    title: 'takes a selection of any depth, and names the filter that is wrong',
  },
  {
    file: 'contracts/maps/selection.ts',
    find: "path.unshift('filters', at!);",
    replace: "path.push('filters', at!);",
    rule: 'a wrong filter is named by its place',
    test: 'test/service/maps.test.ts',
    title: 'takes a selection of any depth, and names the filter that is wrong',
  },
];
