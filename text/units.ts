/** 3201 → `3,201`. */
export const number = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: Math.abs(n) < 10 ? 1 : 0 });

/** `1 row`, `3,201 rows`. */
export const counted = (n: number, noun: string): string => `${number(n)} ${n === 1 || noun.endsWith('s') ? noun : `${noun}s`}`;

/** 1 → `1st`, 12 → `12th`. */
export const ordinal = (n: number): string => {
  const ends: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
  return `${n}${ends[places.select(n)]}`;
};

const places = new Intl.PluralRules('en', { type: 'ordinal' });

/** Milliseconds as a person says them: `0.2 s`, `31 s`, `2 min 5 s`, `3 h 12 min`. */
export const duration = (ms: number): string => {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} d${hours % 24 ? ` ${hours % 24} h` : ''}`;
};

/** 412_300 → `412 kB`. */
export const bytes = (n: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  let value = n;
  while (value >= 1_000 && at < units.length - 1) {
    value /= 1_000;
    at++;
  }
  return `${value < 10 && at > 0 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
};

/** An instant as `12:04:07`, local time. */
export const clock = (iso: string): string => new Date(iso).toLocaleTimeString('en-GB');

/** An instant as `2026-11-21 12:04:07`, local time. */
export const stamp = (iso: string): string => {
  const at = new Date(iso);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
};

/** 12_345 → `12.3k`: for the scale of a plot. */
export const short = (n: number): string => {
  const [size, unit] = n >= 1e6 ? [1e6, 'M'] : n >= 1e4 ? [1e3, 'k'] : [1, ''];
  return `${(n / size).toLocaleString('en-US', { maximumFractionDigits: n / size < 10 && n !== 0 ? 1 : 0 })}${unit}`;
};
