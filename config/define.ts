import type { z } from 'zod';
import type { configSchema } from './schema.ts';

/** What `portolan.config.mts` exports as default. */
export type PortolanConfig = z.input<typeof configSchema>;

/** Gives the configuration its types; answers it unchanged. */
export const defineConfig = (config: PortolanConfig): PortolanConfig => config;
