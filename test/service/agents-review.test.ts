import { expect, test } from 'vitest';
import { ended, launched } from '../spec/instance-agents.ts';
import { pagesOf } from '../support/pdf-pages.ts';
import { callsOf, createWorld, unlimited } from './world.ts';

test('the PDF of a review shows all scripts that its fonts have, and a box for each character that they do not have', async () => {
  await using world = await createWorld({ agents: { pace: { from: 0, to: 0 } } });
  await world.service.listen();
  const calls = callsOf(world, world.service.adminKeys.instance);
  await unlimited(world);
  const { id } = await launched(calls, 'Review the drawings.', {
    'чертёж α.txt': 'Verify ≥ 30 mm Ø12 ± ½ — проверить размер.\nVerify μήκος √2 ≠ Łódź, fi\u0308ne.\n',
    '図面.txt': 'Verify the height 高さ 👷🏽.\n',
  });
  const { artifacts } = await ended(calls, id);
  const { url } = await calls.invoke('instance.agents.export', { id, artifactId: artifacts![0]!.id, format: 'drawing_review_pdf' });
  const pages = (await pagesOf(new Uint8Array(await (await fetch(url)).arrayBuffer()))).map((page) => page.replaceAll(/\s+/g, ' '));
  expect(pages).toHaveLength(3);
  expect(pages[0]).toContain('чертёж α.txt: 2 remarks');
  expect(pages[0]).toContain('□□.txt: 1 remark');
  expect(pages[0]).toContain('□ stands for a character that the font of this file does not have');
  expect(pages[1]).toContain('чертёж α.txt, page 1');
  expect(pages[1]).toContain('1. “Verify ≥ 30 mm Ø12 ± ½ — проверить размер.” is to be verified.');
  expect(pages[1]).toContain('2. “Verify μήκος √2 ≠ Łódź, fïne.” is to be verified.');
  expect(pages[2]).toContain('3. “Verify the height □□ □.” is to be verified.');
});
