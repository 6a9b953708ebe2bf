const usd: Intl.NumberFormatOptions = { style: 'currency', currency: 'USD' };

/** Cents as dollars: 1234 → `$12.34`. */
export const dollars = (cents: number): string => (cents / 100).toLocaleString('en-US', usd);

/** What something has cost, in dollars; of less than a cent the first digits: 1.5 → `$1.50`, 0.00021 → `$0.00021`. */
export const cost = (spent: number): string =>
  spent.toLocaleString('en-US', spent === 0 || Math.abs(spent) >= 0.01 ? usd : { ...usd, maximumSignificantDigits: 2 });
