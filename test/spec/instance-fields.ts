import { expect } from 'vitest';
import { z } from 'zod';
import type { Answer } from '../service/world.ts';

/** Types of the text, as answers hold them. */
export const uuid = z.guid();
export const text = z.string().min(1);
export const time = z.iso.datetime();
export const whole = z.int();
export const number = z.number();
export const flag = z.boolean();

/** What stands at `spend.*.model` of an answer: `*` is every member of a list. */
const valuesAt = (answer: unknown, [first, ...rest]: readonly string[]): unknown[] => {
  if (first === undefined) return [answer];
  if (first === '*')
    return z
      .array(z.unknown())
      .parse(answer)
      .flatMap((member) => valuesAt(member, rest));
  return valuesAt(z.record(z.string(), z.unknown()).parse(answer)[first], rest);
};

/** Asks once, however often what was asked for is needed. */
export const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask());
};

/** Tests of single fields of an answer, each by its place and type: it is there, and of that type. */
export const answered = (ask: () => Promise<unknown>) => {
  const answer = once(ask);
  return (field: string, type: z.ZodType) => async (): Promise<void> => {
    const values = valuesAt(await answer(), field.split('.'));
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect([field, value, type.safeParse(value).success]).toEqual([field, value, true]);
  };
};

type Fields = Readonly<Record<string, unknown>>;

/** The fields with another one in its place. */
const withField = (fields: Fields, [first, ...rest]: readonly string[], value: unknown): Fields => ({
  ...fields,
  [first!]: rest.length === 0 ? value : withField((fields[first!] ?? {}) as Fields, rest, value),
});

/**
 * Tests of single fields of a request. Each is taken with a value that `shown` reads back, and of no other type: refused by 400
 * with an issue at its place.
 */
export const asking =
  (send: (fields: Fields) => Promise<Answer>, needed: () => Fields | Promise<Fields>) =>
  (field: string, good: unknown, wrong: readonly unknown[], shown: (taken: Answer['body']) => unknown) =>
  async (): Promise<void> => {
    const path = field.split('.');
    const taken = await send(withField(await needed(), path, good));
    expect([taken.status, taken.body]).toMatchObject([taken.status < 300 ? taken.status : 200, {}]);
    expect(await shown(taken.body)).toEqual(good);
    for (const value of wrong) {
      const refused = await send(withField(await needed(), path, value));
      expect([field, value, refused.status, refused.body.code]).toEqual([field, value, 400, 'bad_request']);
      expect(refused.body.issues.map((issue: { path: unknown[] }) => issue.path.slice(0, path.length).join('.'))).toContain(field);
    }
  };
