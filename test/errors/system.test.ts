import { expect, test } from 'vitest';
import { toFailure } from '../../activities/frame/failure.ts';
import { ApiError } from '../../client/errors.ts';
import { BadInput, Inconclusive, ServiceFailed, Unavailable, Undecided } from '../../errors/classes.ts';
import { shortageOf } from '../../errors/system.ts';

const systemError = (code: string): Error => Object.assign(new Error(`${code}: it failed, write`), { code, path: '/store/file' });

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])(
  '%s of the system is waited for without using an attempt up',
  (code) => {
    const failure = toFailure(systemError(code));
    expect(failure).toMatchObject({ type: 'Unavailable', nonRetryable: false, category: 'BENIGN' });
    expect(Number(failure.nextRetryDelay)).toBeGreaterThan(0);
    expect(failure.message).toContain('/store/file');
  },
);

test.each(['ENOENT', 'EACCES', 'EISDIR'])('%s ends the step', (code) => {
  expect(toFailure(systemError(code)).nonRetryable).toBe(true);
});

test.each([
  'IO Error: Could not write file "/x/00000.parquet": No space left on device',
  'IO Error: Cannot open file "/x": Too many open files',
])('DuckDB’s own sentence counts as the system’s word: %s', (text) => {
  expect(toFailure(new Error(text)).type).toBe('Unavailable');
});

test.each(["ENOENT: no such file or directory, mkdir '/x/y'", 'the server says: too many open files'])(
  'words of a user’s code are not those of the system: %s',
  (text) => expect(toFailure(new Error(text)).type).toBe('Error'),
);

test('the words of a service or a file say nothing about this host', () => {
  const words = 'IO Error: read-only file system, no space left on device';
  const answered = new ApiError({ operation: 'maps.user.get', requestId: 'r', status: 400, body: words, retryable: false, detail: words });
  expect(shortageOf(answered)).toBeUndefined();
  expect(shortageOf(new BadInput('bad_input', words))).toBeUndefined();
});

test.each([new BadInput('bad_input', 'x'), new ServiceFailed('x'), new Inconclusive('x'), new Undecided('x')])(
  '$name ends the step, with its own remedy',
  (error) => {
    const failure = toFailure(error);
    expect(failure).toMatchObject({ type: error.name, nonRetryable: true });
    expect(failure.details?.[0]).toEqual({ remedy: expect.stringMatching(/\w{4}/) });
  },
);

test('what is missing for a while is named', () => {
  expect(toFailure(new Unavailable('configuration', 'the key is gone')).details).toEqual([
    { resource: 'configuration', remedy: expect.stringContaining('goes on by itself') },
  ]);
});
