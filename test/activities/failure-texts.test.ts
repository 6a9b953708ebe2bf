import { ApplicationFailure, DefaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { notYet, toFailure } from '../../activities/frame/failure.ts';
import { Wait } from '../../client/wait.ts';

/** As a worker hands a failure over. */
const encoded = (error: Error): Buffer =>
  Buffer.from(
    temporal.api.failure.v1.Failure.encode(new DefaultFailureConverter().errorToFailure(error, defaultPayloadConverter)).finish(),
  );

/** The first half of a character as bytes, which no UTF-8 has: they would end the worker. */
const half = Buffer.from([0xed, 0xa0, 0xbc]);
const cut = 'Film 🎬'.slice(0, 6);

test.each([
  ['an error', () => toFailure(new Error(`bad title: ${cut}`))],
  ['a wait', () => toFailure(new Wait(cut, 1))],
  ['a look that found nothing', () => notYet(1_000, cut)],
  ['a failure of its own', () => toFailure(ApplicationFailure.create({ message: cut }))],
])('%s whose text was cut in the middle of a character can be sent', (_, made) => {
  const failure = made();
  expect(failure.message).toContain('Film');
  expect(encoded(failure).includes(half)).toBe(false);
});

test('a wait has a length that can be sent, however long it is asked for, and one of none is refused where it is made', () => {
  expect(() => encoded(toFailure(new Wait('closed', Number.POSITIVE_INFINITY)))).not.toThrow();
  for (const ms of [Number.NaN, -1]) {
    expect(() => new Wait('closed', ms)).toThrow(`new Wait(…, ${ms}): milliseconds from 0 were expected`);
    // A step may bring a copy of the class of its own.
    expect(() => encoded(toFailure(Object.assign(new Error('closed'), { name: 'Wait', waitMs: ms })))).not.toThrow();
  }
});
