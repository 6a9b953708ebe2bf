const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for any place of an HTML document but script and style. */
export const escapeHtml = (value: unknown): string => String(value).replace(/[&<>"']/g, (sign) => entities[sign]!);
