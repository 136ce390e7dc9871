import { AppError } from '../../errors/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { insertMaker } from '../../store/makers.js';
import { type AdminDeps, operateRoute } from './deps.js';
import { showMaker } from './maker-text.js';
import { Maker, MakerBody } from './schema.js';

export function registerAddMaker(app: TypedServer, { store, box, clock }: AdminDeps): void {
  app.post(
    '/admin/v1/makers',
    {
      config: { ...operateRoute, errors: { 409: 'A maker with this URL is registered already' } },
      schema: {
        tags: ['Admin'],
        summary: 'Register a market maker by the URL of its webhook',
        description: 'The service asks it for quotes from then on, by the RFQ webhook protocol.',
        body: MakerBody,
        response: { 200: Maker },
      },
    },
    async ({ body }) => {
      const { name, url } = body;
      const maker = { id: uuidv7(clock), name, url, createdAt: new Date(clock.now()) };
      const added = await insertMaker(store, await box(), maker);
      if (!added) throw new AppError('CONFLICT', { message: 'A maker with this url is registered already' });
      return showMaker({ ...maker, suspendedAt: null, suspendedFor: null });
    },
  );
}
