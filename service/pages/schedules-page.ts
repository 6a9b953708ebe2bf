import { navStyle, pageHeaders } from './html.ts';
import { placesNav, plainPage } from './plain-page.ts';

/** The page of schedules as `portolan schedule report` writes it, with the way to the other pages. It has no script, and loads nothing. */
export const schedulesPage = async (written: (() => Promise<string>) | undefined): Promise<Response> => {
  if (!written)
    return plainPage({
      title: 'Schedules · local service',
      at: '/schedules',
      body: `<h1>Schedules</h1><p>Schedules stand at a Temporal server, which a service alone does not know. The service of portolan dev shows them here; portolan schedule report writes the same page.</p>`,
    });
  const page = (await written()).replace('<body>', () => `<body><style>${navStyle}</style>${placesNav('/schedules')}`);
  return new Response(page, {
    headers: {
      ...pageHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
  });
};
