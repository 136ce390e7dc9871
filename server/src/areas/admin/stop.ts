import type { TypedServer } from '../../lib/typed-server.js';
import { putStop } from '../../store/stops.js';
import { type AdminDeps, operateRoute } from './deps.js';
import { showStop } from './list-stops.js';
import { Stop, StopBody, StopParams } from './schema.js';

export function registerStop(app: TypedServer, { store, clock }: AdminDeps): void {
  app.put(
    '/admin/v1/stops/:what',
    {
      config: operateRoute,
      schema: {
        tags: ['Admin'],
        summary: 'Stop fills, crafts or all',
        description:
          'Every copy obeys within a second. `fills`: the keepers send nothing. `crafts`: no transaction is crafted for clients. `all`: both, and nothing that clients have signed is signed or sent. What was sent before is followed to its end.',
        params: StopParams,
        body: StopBody,
        response: { 200: Stop },
      },
    },
    async ({ params: { what }, body: { why }, adminName }) => {
      const stop = { what, why, stoppedBy: adminName, stoppedAt: new Date(clock.now()) };
      await store.transaction((tx) => putStop(tx, stop));
      return showStop(stop);
    },
  );
}
