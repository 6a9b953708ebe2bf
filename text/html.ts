const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for any place of an HTML document but script and style. */
export const escapeHtml = (value: unknown): string => String(value).replace(/[&<>"']/g, (sign) => entities[sign]!);

/** The same of names and paths: a narrow page breaks them behind their parts, not within a word. */
export const escapeParts = (value: unknown): string => escapeHtml(value).replace(/[./](?=\w)/g, '$&<wbr>');
