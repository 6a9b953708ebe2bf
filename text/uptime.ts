/** Milliseconds since the machine started, alike in every process. Nothing sets this clock: limits and waits are measured by it. */
export const uptime = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;
