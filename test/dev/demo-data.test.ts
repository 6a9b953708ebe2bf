import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demoRecords, writeDemoRecords } from '../../dev/demo/data.ts';
import type { DemoRecord } from '../../dev/demo/data.ts';
import { createEmbedder } from '../../service/engine/embedding/provider.ts';

test('the records are 3,000 well-known nouns, whole, plain and best known first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  try {
    const to = join(folder, 'data', 'nouns.json');
    expect(await writeDemoRecords(to)).toEqual({ records: 3_000 });
    const bytes = await readFile(to, 'utf8');
    const records = JSON.parse(bytes) as DemoRecord[];
    expect(records).toHaveLength(3_000);
    expect(bytes.split('\n').filter((line) => line.startsWith('{'))).toHaveLength(3_000);
    expect(await readdir(join(folder, 'data'))).toEqual(['nouns.json']);

    expect(new Set(records.map(({ id }) => id)).size).toBe(3_000);
    for (const { id } of records) expect(id).toMatch(/^n\d{8}$/);
    expect(new Set(records.map(({ kind }) => kind))).toEqual(
      new Set(['animal', 'artifact', 'food', 'plant', 'body', 'substance', 'person', 'object']),
    );
    for (const { word, synonyms, gloss, uses, text } of records) {
      expect(word).toMatch(/^[a-z]/);
      expect(`${word} ${synonyms ?? ''} ${gloss}`).not.toMatch(/[_"]|^\s|\s$/);
      expect(Number.isInteger(uses)).toBe(true);
      expect(text).toBe(`${word} is ${gloss}`);
    }
    expect(records.slice(0, 100).map(({ word }) => word)).toEqual(expect.arrayContaining(['man', 'tree', 'water', 'horse', 'car']));
    const words = new Set(records.map(({ word }) => word));
    for (const word of ['airplane', 'helicopter', 'cat', 'dog', 'coffee', 'bicycle', 'piano', 'surgeon', 'penguin', 'banana', 'telescope'])
      expect(words).toContain(word);

    await writeDemoRecords(to);
    expect(await readFile(to, 'utf8')).toBe(bytes);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('descriptions in other words find them', async () => {
  const wanted: Record<string, string> = {
    'a pet that purrs': 'cat',
    'a machine that flies': 'airplane',
    'alcoholic drink made from grapes': 'wine',
    'instrument with black and white keys': 'piano',
    'doctor who operates on people': 'surgeon',
    'it tells the time': 'clock',
    'red vegetable for salad': 'tomato',
    'measures temperature': 'thermometer',
  };
  // Every eighth record beside the sought ones: a search among hundreds of strangers without a minute of embedding.
  const records = (await demoRecords()).filter(({ word }, i) => i % 8 === 0 || Object.values(wanted).includes(word));
  const embedder = createEmbedder({ provider: 'semantic', threads: 2 });
  try {
    const documents = await embedder.embed(
      records.map(({ text }) => text),
      'search_document',
      'svc-embed-text-v1',
    );
    const queries = await embedder.embed(Object.keys(wanted), 'search_query', 'svc-embed-text-v1');
    for (const [q, [query, word]] of Object.entries(wanted).entries()) {
      const scores = records.map((record, i) => ({
        word: record.word,
        score: documents.subarray(i * 768, (i + 1) * 768).reduce((sum, value, d) => sum + value * queries[q * 768 + d]!, 0),
      }));
      const best = scores
        .toSorted((a, b) => b.score - a.score)
        .slice(0, 5)
        .map((hit) => hit.word);
      expect({ query, best }).toEqual({ query, best: expect.arrayContaining([word]) });
    }
  } finally {
    await embedder.close();
  }
});
