import type { ArgsDef } from 'citty';

/** Shown in the help of every command that talks to the service. `--json` itself is taken out before. */
export const commonArgs = {
  url: {
    type: 'string',
    description: 'Where the service is (default: SLIPWAY_URL, or as configured)',
    valueHint: 'URL',
  },
  json: { type: 'boolean', description: 'Answer, and fail, in JSON' },
} as const satisfies ArgsDef;
