import { expect, test } from 'vitest';
import { folderOfStep, stepOfFolder } from '../../store/instance-folder.ts';

test('folders of turns hold no signs of patterns, and say which turn they are of', () => {
  for (const step of ['rows', 'each[17].rows', 'a[3].b[0].c_d']) {
    expect(folderOfStep(step)).toMatch(/^[\w~]+$/);
    expect(stepOfFolder(folderOfStep(step))).toBe(step);
  }
  expect(folderOfStep('a[3].b[0].c')).toBe('a~3~b~0~c');
});
