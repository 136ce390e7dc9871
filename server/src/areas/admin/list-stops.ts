import { Type } from 'typebox';
import type { TypedServer } from '../../lib/typed-server.js';
import { listStops, type Stop as Stored } from '../../store/stops.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { Stop } from './schema.js';

export function registerListStops(app: TypedServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/stops',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List what is stopped',
        description: 'The latest first.',
        response: { 200: Type.Object({ stops: Type.Array(Stop, { description: 'What is stopped' }) }) },
      },
    },
    async () => ({ stops: (await listStops(store)).map(showStop) }),
  );
}

/** A stop as the admin API shows it. */
export function showStop({ stoppedAt, ...stop }: Stored): Stop {
  return { ...stop, stoppedAt: stoppedAt.toISOString() };
}
