import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inBatches } from '../../client/in-batches.ts';
import { ApiError } from '../../client/errors.ts';

const refused = (status: number, body: string): ApiError =>
  new ApiError({ operation: 'maps.tags.update', requestId: 'r', status, body, detail: body, retryable: false });

test('whatever a service finds too large, every item is sent once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), async (count, size, most) => {
      const items = Array.from({ length: count }, (_, at) => at);
      const sent: number[] = [];
      await inBatches(items, size, async (batch) => {
        expect(batch.length).toBeLessThanOrEqual(size);
        if (batch.length > most) throw refused(422, 'at most a few ids');
        sent.push(...batch);
      });
      expect(sent).toEqual(items);
    }),
  );
});

test.each([refused(422, 'wrong field'), refused(403, 'at most your own'), new Error('too large for this disk')])(
  'what is refused for another reason is sent once: %s',
  async (error) => {
    let calls = 0;
    const send = (): Promise<void> => {
      calls++;
      return Promise.reject(error);
    };
    await expect(inBatches([1, 2, 3, 4], 4, send)).rejects.toBe(error);
    expect(calls).toBe(1);
  },
);
