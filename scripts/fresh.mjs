// Refuses to go on with another Node than the pinned one, or with a `dist/` older than the sources.
import { distState, wrongNode } from './sources.mjs';

const reasons = {
  fresh: undefined,
  stale: 'portolan: dist/ is older than the sources: run `npm run build`',
  missing: 'portolan: dist/ is missing: run `npm run build`',
};

const problem = wrongNode() ?? reasons[distState()];
if (problem) {
  console.error(problem);
  process.exitCode = 1;
}
