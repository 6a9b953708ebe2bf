import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonItems } from '../../client/json-items.ts';

/** A text in pieces of so many bytes. */
async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function read(text: string, size: number): Promise<{ items: unknown[]; value?: unknown; batches: number }> {
  const items: unknown[] = [];
  let batches = 0;
  for await (const part of jsonItems(pieces(text, size))) {
    if ('value' in part) return { items, value: part.value, batches };
    items.push(...part.items);
    batches++;
  }
  return { items, batches };
}

const json = fc.jsonValue();

test('members of a list come whole and in order, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(json), fc.integer({ min: 1, max: 40 }), fc.constantFrom(undefined, 1), async (list, size, indent) => {
      const text = JSON.stringify(list, undefined, indent);
      expect((await read(text, size)).items).toEqual(JSON.parse(text));
    }),
  );
});

test('a list that is the only field of an object is a list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(json), fc.integer({ min: 1, max: 40 }), async (list, size) => {
      const text = JSON.stringify({ data: list });
      expect((await read(text, size)).items).toEqual((JSON.parse(text) as { data: unknown[] }).data);
    }),
  );
});

test('anything else comes as it is', async () => {
  await fc.assert(
    fc.asyncProperty(
      json.filter((value) => !Array.isArray(value) && !Array.isArray(Object.values(value ?? {})[0])),
      fc.integer({ min: 1, max: 40 }),
      async (value, size) => {
        const text = JSON.stringify(value);
        expect((await read(text, size)).value).toEqual(JSON.parse(text));
      },
    ),
  );
  expect((await read('', 1)).value).toBeNull();
});

test('a long list is handed over before its end has come', async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `id-${at}`);
  const { items, batches } = await read(JSON.stringify(ids), 1_000);
  expect(items).toEqual(ids);
  expect(batches).toBeGreaterThan(50);
});

test('what ends too early or is not JSON is refused', async () => {
  await expect(read('["a","b"', 3)).rejects.toThrow(SyntaxError);
  await expect(read('["a",b]', 3)).rejects.toThrow(SyntaxError);
  await expect(read('{"detail":', 3)).rejects.toThrow(SyntaxError);
});
