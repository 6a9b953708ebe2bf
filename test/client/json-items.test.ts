import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonItems } from '../../client/json-items.ts';

/** A text in pieces of so many bytes. */
async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function read(text: string, size: number): Promise<{ items: unknown[]; rest: unknown; batches: number }> {
  const items: unknown[] = [];
  let batches = 0;
  let rest: unknown;
  for await (const part of jsonItems(pieces(text, size), 'data')) {
    if ('rest' in part) rest = part.rest;
    else {
      items.push(...part.items);
      batches++;
    }
  }
  return { items, rest, batches };
}

const json = fc.jsonValue();
const size = fc.integer({ min: 1, max: 40 });
const indent = fc.constantFrom(undefined, 1);

test('members of a list come whole and in order, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(json), size, indent, async (list, bytes, space) => {
      const text = JSON.stringify(list, undefined, space);
      expect(await read(text, bytes)).toMatchObject({ items: JSON.parse(text), rest: [] });
    }),
  );
});

test('a list under its name comes so wherever it stands in the object, and the other fields stay', async () => {
  const others = fc
    .dictionary(fc.string(), json)
    .map((fields) => Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'data')));
  await fc.assert(
    fc.asyncProperty(others, fc.array(json), others, size, indent, async (before, data, after, bytes, space) => {
      const text = JSON.stringify({ ...before, data, ...after }, undefined, space);
      const whole = JSON.parse(text) as { data: unknown[] };
      expect(await read(text, bytes)).toMatchObject({ items: whole.data, rest: { ...whole, data: [] } });
    }),
  );
});

test('an answer without such a list comes as it is: a list of errors is no list of members', async () => {
  await fc.assert(
    fc.asyncProperty(
      json.filter((value) => !Array.isArray(value) && !Array.isArray((value as { data?: unknown } | null)?.data)),
      size,
      async (value, bytes) => {
        const text = JSON.stringify(value);
        expect(await read(text, bytes)).toMatchObject({ items: [], rest: JSON.parse(text) });
      },
    ),
  );
  for (const value of [{ errors: ['boom'] }, { detail: [{ loc: ['body'] }] }, { inner: { data: ['x'] } }, {}])
    expect(await read(JSON.stringify(value), 2)).toMatchObject({ items: [], rest: value });
  expect((await read('', 1)).rest).toBeNull();
});

test('a long list is handed over before its end has come', async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `id-${at}`);
  const { items, batches } = await read(JSON.stringify(ids), 1_000);
  expect(items).toEqual(ids);
  expect(batches).toBeGreaterThan(50);
});

test('what ends too early, goes on behind its end or is not JSON is refused', async () => {
  for (const text of ['["a","b"', '["a",b]', '{"detail":', '["a"]x', '{"data":["a"]', '{"data":["a"],}', '{"data":["a"]}{}', '["a" "b"]'])
    for (const bytes of [1, 3, 100]) await expect(read(text, bytes), text).rejects.toThrow(SyntaxError);
});

test('a member that never ends is given up', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('["');
    const block = new Uint8Array(1024 * 1024).fill(0x61);
    for (;;) yield block;
  }
  const parts = jsonItems(endless(), 'data');
  await expect(parts.next()).rejects.toThrow('longer than 16777216 bytes');
});
