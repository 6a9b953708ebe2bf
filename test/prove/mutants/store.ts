import type { Mutant } from './mutant.ts';

const intents = { file: 'store/intents.ts', test: 'test/store/intents.test.ts' } as const;
const system = { file: 'errors/system.ts', test: 'test/errors/system.test.ts' } as const;

export const store: readonly Mutant[] = [
  {
    file: 'store/distinct-texts.ts',
    find: 'where hash(${text}) % ${passes} = ${pass} order by text',
    replace: 'order by text',
    rule: 'passes over the files give each text once',
    test: 'test/store/distinct-texts.test.ts',
  },
  {
    file: 'store/columnar.ts',
    find: 'const result = await connection.stream(sql, params);',
    replace: 'const result = await connection.run(sql, params);',
    rule: 'rows are handed over as they are read',
    test: 'test/store/distinct-texts.test.ts',
  },
  {
    ...intents,
    find: 'return [...files, ...ofOthers];',
    replace: 'return files;',
    rule: 'what an attempt takes back of earlier ones holds whichever file is read first',
  },
  {
    ...system,
    find: "  EMFILE: { resource: 'files', says: 'this process has too many files open' },\n",
    replace: '',
    rule: 'too many open files is waited for',
  },
  {
    file: 'store/create-run-store.ts',
    find: "sha256: hash.digest('hex') };",
    replace: "sha256: createHash('sha256').digest('hex') };",
    rule: 'a list of ids tells the hash of its ids',
    test: 'test/store/run-store.test.ts',
  },
  {
    file: 'store/create-run-store.ts',
    find: 'for (let at = Math.max(0, from - start);',
    replace: 'for (let at = 0;',
    rule: 'a part of a list of ids begins where it was asked to',
    test: 'test/store/run-store.test.ts',
  },
  {
    file: 'store/parquet-page.ts',
    find: 'if (distinct.size === mostDistinct) return undefined;',
    replace: 'if (distinct.size === mostDistinct + 1) return undefined;',
    rule: 'a dictionary holds no more values than its indices can name',
    test: 'test/store/columnar.test.ts',
  },
  {
    file: 'store/create-run-store.ts',
    find: '  } catch {\n    return [];\n  }',
    replace: '  } catch (error) {\n    throw error;\n  }',
    rule: 'events survive a line cut by a kill',
    test: 'test/store/run-store.test.ts',
  },
];
