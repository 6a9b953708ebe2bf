import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../text/html.ts';

const style = readFileSync(new URL('./browser/page.css', import.meta.url), 'utf8');

/** What a page of another style needs to show the way to the others. */
export const navStyle = (style.match(/nav\.places[^{]*\{[^}]*\}/g) ?? []).join('');

export type Document = {
  title: string;
  body: string;
  status?: number;
  /** Trusted code, inlined. */ script?: string;
  /** Seconds. */ refresh?: number;
  /** It shows images of the service itself. */ images?: true;
  /** Sources in the form of the policy that a form of the page may lead to; absent: none. */ formTo?: string;
};

/** A whole HTML page that loads nothing from elsewhere. The policy admits its one style and its one script by nonce, and requests to the service itself. */
export const htmlAnswer = ({ title, body, status = 200, script, refresh, images, formTo = "'none'" }: Document): Response => {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `img-src data:${images ? " 'self'" : ''}`,
    ...(script ? [`script-src 'nonce-${nonce}'`, "connect-src 'self'"] : []),
    "base-uri 'none'",
    `form-action ${formTo}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
${refresh ? `<meta http-equiv="refresh" content="${refresh}">` : ''}<link rel="icon" href="data:,"><title>${escapeHtml(title)}</title><style nonce="${nonce}">${style}</style></head>
<body>${body}${script ? `<script type="module" nonce="${nonce}">${script}</script>` : ''}</body></html>
`;
  return new Response(page, {
    status,
    headers: { ...pageHeaders, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  });
};

/** For pages and what they load: nothing kept, nothing sniffed, nothing for other origins. */
export const pageHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};
