import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { CommandError, UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { pageNames, site } from '../project/pages.ts';
import { didYouMean } from '../../text/nearest.ts';

export const docs = defineVerb({
  name: 'docs',
  summary: 'Where the pages about Portolan are on this machine.',
  usage: '[PAGE]',
  details: 'Prints the address of a page for a browser: the first one, or PAGE, such as tutorial or errors. They are read from disk.',
  options: { json: { type: 'boolean', description: 'The address as JSON.' } },
  examples: ['portolan docs', 'portolan docs errors'],
  async run({ args: [page = 'index'], options, terminal }) {
    const folder = site();
    if (folder === undefined) throw new CommandError('the pages are not built here', { remedy: 'in a checkout: npm run build' });
    const path = `${folder}${page}.html`;
    if (!/^[\w-]+$/.test(page) || !existsSync(path)) {
      const pages = await pageNames();
      throw new UsageError(`there is no page '${page}'${didYouMean(page, pages)}`, `pages: ${pages.join(', ')}`);
    }
    const { href } = pathToFileURL(path);
    if (options.json) terminal.document('page', { page: href });
    else terminal.out(`${href}\n`);
    return exit.done;
  },
});
