const withoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** Epoch milliseconds of an ISO time, NaN where it is none. Without a zone it is UTC, as the API texts have it: `Date.parse` takes the machine's. */
export const instant = (text: string): number => Date.parse(withoutZone.test(text) ? `${text.replace(' ', 'T')}Z` : text);
