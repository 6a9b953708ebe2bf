const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for HTML content and quoted attributes. */
export const escapeHtml = (value: unknown): string => String(value).replace(/[&<>"']/g, (sign) => entities[sign]!);

export const number = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: Math.abs(n) < 10 ? 1 : 0 });

/** Milliseconds: `0.2 s`, `31 s`, `2 min 5 s`. */
export const seconds = (ms: number): string => {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const whole = Math.round(ms / 1_000);
  if (whole < 60) return `${whole} s`;
  return whole < 3_600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
};

const steps: readonly [number, string][] = [
  [1e9, ' GB'],
  [1e6, ' MB'],
  [1e3, ' kB'],
];

/** 1_234_567 → `1.2 MB`. */
export const bytes = (n: number): string => {
  const [size, unit] = steps.find(([least]) => n >= least) ?? [1, ' B'];
  return `${number(n / size)}${unit}`;
};

/** 12_345 → `12.3k`: for the scale of a plot. */
export const short = (n: number): string => {
  const [size, unit] = n >= 1e6 ? [1e6, 'M'] : n >= 1e4 ? [1e3, 'k'] : [1, ''];
  return `${(n / size).toLocaleString('en-US', { maximumFractionDigits: n / size < 10 && n !== 0 ? 1 : 0 })}${unit}`;
};
