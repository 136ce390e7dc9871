import { after, before, describe, it } from 'node:test';
import { CALLERS, exchangeUnderLoad, LIMITS, operatorOf, startUser } from './rotation-load.js';
import type { Service } from './service.js';
import { type SignerProcess, startSigner } from './signer-process.js';

/** Each call is a stage of its own in a test beside the code; here the others go on meanwhile. */
const STAGES = {
  gas: [/making key/, /waiting for what was made/],
  keeper: [/getting .* ready/, /waiting for what was made/],
  tracker: [/waiting for what was made/],
};

describe('the keys of the wallets, exchanged while they are used', () => {
  let signer: SignerProcess;
  let service: Service;
  before(async () => {
    signer = await startSigner(CALLERS, { limits: LIMITS });
    service = await startUser(signer.urlOf('sandbox'));
  });
  after(async () => {
    await service?.close();
    await signer?.close();
  });

  for (const [wallet, killsAt] of Object.entries(STAGES)) {
    it(`the ${wallet}'s, killed at every stage: nobody who uses it notices, and all that it has comes along`, async (t) => {
      const place = operatorOf(service, signer.urlOf('operator'));
      const { done } = await exchangeUnderLoad(service, place, wallet, { killsAt });
      t.diagnostic(`meanwhile ${JSON.stringify(done)}`);
    });
  }
});
