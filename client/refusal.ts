import { services } from '../contracts/index.ts';
import type { Refused } from './attempt.ts';
import { notTheApi } from './errors.ts';

/** What a refusal says: by the form of one of the APIs, else the beginning of the body itself. */
export function saidBy({ status, body, location }: Refused, url: string): { detail: string; code?: string; remedy?: string } {
  if (location !== undefined && status >= 300 && status < 400)
    return {
      detail: `it redirects to ${URL.canParse(location, url) ? new URL(location, url).origin : 'another address'}`,
      remedy: 'no call and no key follows a redirect: name the final address as the URL of the connection',
    };
  if (page.test(body)) return { detail: `a page of HTML${titleOf(body)}`, remedy: notTheApi };
  return read(body) ?? { detail: body.slice(0, 300) || 'no body' };
}

const page = /^\s*<(?:!doctype\s+html|html|head|body)\b/i;

function titleOf(html: string): string {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(html)?.[1]?.trim();
  return title ? `: ${title}` : '';
}

function read(body: string): { detail: string; code?: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  for (const { errors } of Object.values(services)) {
    const said = errors.read(value);
    if (said) return said;
  }
  return undefined;
}
