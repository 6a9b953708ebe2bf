import { expect, test } from 'vitest';
import { bytesOf } from '../../text/size.ts';

test('a size is a number with its unit, and nothing before, between or behind', () => {
  expect(['1kB', '500MB', '1.5 GB', '2TB', '0MB'].map(bytesOf)).toEqual([1e3, 5e8, 1.5e9, 2e12, 0]);
  for (const text of ['', '20', 'GB', '20GBit', ' 20GB', '-1GB', '1.GB', '.5GB', '1  GB', '1,5GB', '20gb', '20KB', '20GB\n'])
    expect(() => bytesOf(text), JSON.stringify(text)).toThrow(`'${text}' is not a size such as 500MB or 20GB`);
});
