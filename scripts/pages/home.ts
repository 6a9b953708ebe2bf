import { between } from './between.ts';
import { generated } from './markdown.ts';
import { navMarkdown } from './site/layout.ts';

/** docs/README.md: the first page of the site. */
export const homePage = (): string =>
  [
    generated('scripts/pages/site/nav.ts'),
    '# Portolan\n\nPortolan runs declarative pipelines over the maps API and the instance API as ordinary Temporal workflows: thirty lines of YAML put a table on a map that is searched by meaning, and tag what matters. It knows each operation’s effect, limit and cost, so a plan says what a run will do before it does it; and any process may be killed at any time: nothing happens twice, nothing is lost, and every item has a fate.\n\nBegin with the [tutorial](tutorial.md). Every command on these pages is run before a release.\n\n',
    navMarkdown('docs'),
    '\nThe texts that define the two APIs: [maps](spec/maps-v1.txt), [instance](spec/instance-v0.txt).\n',
  ].join('');

/** README.md with the list of the pages. */
export const withNav = (page: string): string => between(page, 'scripts/pages/site/nav.ts', navMarkdown('.'));
